"""Cross-validation predictive densities: expected utilities with their uncertainty, checked where truth is known.

Source: Vehtari and Lampinen, Bayesian model assessment and comparison using cross-validation predictive densities,
report B27, Helsinki University of Technology (2001). Each function names the equation it computes.
"""

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
from benchbook.assess.densities.gaussian_process import (
    GaussianTerms,
    gp_leave_one_out,
    gp_leave_one_out_draws,
    gp_predict,
)
from benchbook.assess.densities.groups import GroupLoo, leave_group_out
from benchbook.assess.densities.importance import (
    Loo,
    cumulative_weights,
    effective_number,
    expectation,
    k_threshold,
    loo,
    loo_weights,
    mixture,
    predictive_expectation,
    resample,
    tail_length,
)
from benchbook.assess.densities.linear import LinearModel, exact_cross_validation, log_likelihoods
from benchbook.assess.densities.posterior import LogLikelihood, chains_together
from benchbook.assess.densities.posterior_assessment import (
    PosteriorAssessment,
    PosteriorComparison,
    assess_posterior,
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
from benchbook.assess.densities.training_sets import over_training_sets
from benchbook.assess.densities.utilities import (
    LOG_DENSITY,
    QUESTIONS,
    UTILITIES,
    Utility,
    UtilityQuestion,
    question,
    utility,
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
    "GaussianApproximation",
    "GaussianTerms",
    "GroupLoo",
    "LinearModel",
    "LogLikelihood",
    "Loo",
    "Mean",
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
    "leave_group_out",
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
    "plain",
    "power_ladder",
    "predictive_expectation",
    "pseudo_bayes_factor",
    "question",
    "random_folds",
    "read_log_likelihood",
    "relative_efficiency",
    "resample",
    "reweighted",
    "stratified_folds",
    "subtract",
    "tail_length",
    "utility",
    "write_log_likelihood",
]
