"""Cross-validation predictive densities: expected utilities with their uncertainty, checked where truth is known.

Source: Vehtari and Lampinen, Bayesian model assessment and comparison using cross-validation predictive densities,
report B27, Helsinki University of Technology (2001). Each function names the equation it computes.
"""

from typing import TYPE_CHECKING

from benchbook.rooms import import_on_demand

if TYPE_CHECKING:
    from benchbook.assess.densities import plain
    from benchbook.assess.densities.bayes_factors import (
        log_fractional_likelihood,
        log_intrinsic_factor,
        log_partial_densities,
        log_partial_likelihood,
        log_posterior_densities,
        log_posterior_likelihood,
        log_prior_densities,
        log_prior_likelihood,
        log_pseudo_likelihood,
    )
    from benchbook.assess.densities.bias import (
        CorrectedDistribution,
        Correction,
        bias_corrected,
        bias_corrected_distribution,
    )
    from benchbook.assess.densities.bootstrap import (
        bayesian_bootstrap,
        dependent_weights,
        few_groups_factor,
        reweighted,
    )
    from benchbook.assess.densities.chains import chains_of, relative_efficiency
    from benchbook.assess.densities.comparison import (
        Difference,
        Pairwise,
        PseudoBayesFactor,
        compare_models,
        pseudo_bayes_factor,
        subtract,
    )
    from benchbook.assess.densities.components import UtilityComponents, components
    from benchbook.assess.densities.distribution import (
        Distribution,
        GaussianApproximation,
        gaussian,
        gaussian_by_folds,
    )
    from benchbook.assess.densities.future import FutureLoo, leave_future_out
    from benchbook.assess.densities.gaussian_process import (
        GaussianTerms,
        gp_leave_one_out,
        gp_leave_one_out_draws,
        gp_predict,
    )
    from benchbook.assess.densities.groups import GroupLoo, leave_group_out
    from benchbook.assess.densities.importance import Loo, k_threshold, loo
    from benchbook.assess.densities.linear import (
        LinearModel,
        exact_cross_validation,
        log_likelihoods,
    )
    from benchbook.assess.densities.model_weights import ModelWeights, pseudo_bma, stacking
    from benchbook.assess.densities.posterior import LogLikelihood, chains_together
    from benchbook.assess.densities.posterior_assessment import (
        PosteriorAssessment,
        assess_posterior,
    )
    from benchbook.assess.densities.posterior_checks import left_out_pit, pit_verdict
    from benchbook.assess.densities.posterior_comparison import (
        PosteriorComparison,
        compare_assessed,
        compare_posteriors,
    )
    from benchbook.assess.densities.posterior_files import (
        from_inference_data,
        read_log_likelihood,
        write_log_likelihood,
    )
    from benchbook.assess.densities.posterior_folds import (
        FoldAssessment,
        assess_folds,
        compare_folds,
        full_posterior,
    )
    from benchbook.assess.densities.power_posteriors import (
        PowerMarginal,
        log_marginal_by_powers,
        power_ladder,
    )
    from benchbook.assess.densities.refits import to_refit, with_refits
    from benchbook.assess.densities.summaries import (
        GEOMETRIC_MEAN,
        MEAN,
        ROOT_MEAN,
        FunctionOf,
        Mean,
        Quantile,
        UtilitySummary,
        normalised_root_mean,
    )
    from benchbook.assess.densities.utilities import (
        LOG_DENSITY,
        QUESTIONS,
        UTILITIES,
        Utility,
        UtilityQuestion,
        over_training_sets,
        posterior_question,
        question,
        utility,
    )
    from benchbook.assess.densities.weights import (
        cumulative_weights,
        effective_number,
        expectation,
        loo_weights,
        mixture,
        predictive_expectation,
        resample,
        tail_length,
    )
    from benchbook.folds import (
        Fold,
        folds_of,
        grouped_folds,
        h_block_folds,
        k_fold_h_block,
        labels_of,
        random_folds,
        stratified_folds,
    )

__all__ = [
    "GEOMETRIC_MEAN",
    "LOG_DENSITY",
    "MEAN",
    "QUESTIONS",
    "ROOT_MEAN",
    "UTILITIES",
    "CorrectedDistribution",
    "Correction",
    "Difference",
    "Distribution",
    "Fold",
    "FoldAssessment",
    "FunctionOf",
    "FutureLoo",
    "GaussianApproximation",
    "GaussianTerms",
    "GroupLoo",
    "LinearModel",
    "LogLikelihood",
    "Loo",
    "Mean",
    "ModelWeights",
    "Pairwise",
    "PosteriorAssessment",
    "PosteriorComparison",
    "PowerMarginal",
    "PseudoBayesFactor",
    "Quantile",
    "Utility",
    "UtilityComponents",
    "UtilityQuestion",
    "UtilitySummary",
    "assess_folds",
    "assess_posterior",
    "bayesian_bootstrap",
    "bias_corrected",
    "bias_corrected_distribution",
    "chains_of",
    "chains_together",
    "compare_assessed",
    "compare_folds",
    "compare_models",
    "compare_posteriors",
    "components",
    "cumulative_weights",
    "dependent_weights",
    "effective_number",
    "exact_cross_validation",
    "expectation",
    "few_groups_factor",
    "folds_of",
    "from_inference_data",
    "full_posterior",
    "gaussian",
    "gaussian_by_folds",
    "gp_leave_one_out",
    "gp_leave_one_out_draws",
    "gp_predict",
    "grouped_folds",
    "h_block_folds",
    "k_fold_h_block",
    "k_threshold",
    "labels_of",
    "leave_future_out",
    "leave_group_out",
    "left_out_pit",
    "log_fractional_likelihood",
    "log_intrinsic_factor",
    "log_likelihoods",
    "log_marginal_by_powers",
    "log_partial_densities",
    "log_partial_likelihood",
    "log_posterior_densities",
    "log_posterior_likelihood",
    "log_prior_densities",
    "log_prior_likelihood",
    "log_pseudo_likelihood",
    "loo",
    "loo_weights",
    "mixture",
    "normalised_root_mean",
    "over_training_sets",
    "pit_verdict",
    "plain",
    "posterior_question",
    "power_ladder",
    "predictive_expectation",
    "pseudo_bayes_factor",
    "pseudo_bma",
    "question",
    "random_folds",
    "read_log_likelihood",
    "relative_efficiency",
    "resample",
    "reweighted",
    "stacking",
    "stratified_folds",
    "subtract",
    "tail_length",
    "to_refit",
    "utility",
    "with_refits",
    "write_log_likelihood",
]

import_on_demand(__name__, __file__)
