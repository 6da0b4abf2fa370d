"""Statistics over case losses: how large is a method's expected loss, how sure are we, and are two methods different?

``by_design`` goes from the losses of held-out cases to a verdict, by the test that is valid for their ``Design``.
``expected_loss`` and ``compare`` take the losses of one task as arrays; ``expected_losses``, ``comparisons`` and
``assessment`` (both in one walk) take an archive's long frame, and ``ratios`` sets two methods side by side on all
tasks of such a table. ``standings`` puts methods in order, with tie groups and corrected p values, ``tiers``
does so over many tasks at once.
``rank_tests`` are for those who ask for ranks, ``rejection_curve`` and ``accepted`` for classifiers that may reject a
case. ``total_effects``
says what each input of a known function is worth. The rest shows what such statistics are worth: ``simulate_losses``
and ``size_of_test`` for DELVE's two tests, ``false_alarms`` for those that others use; ``power``,
``detectable_difference`` and ``instances_needed`` plan an assessment from the components of an earlier one.
"""

from typing import TYPE_CHECKING

from benchbook.rooms import import_on_demand

if TYPE_CHECKING:
    from benchbook.assess.anova.atomic import Comparison, Estimate, compare, expected_loss
    from benchbook.assess.anova.cubes import Cube, cubes
    from benchbook.assess.anova.tables import (
        assessment,
        comparisons,
        expected_losses,
        instance_means,
    )
    from benchbook.assess.by_design import Note, Verdicts, by_design
    from benchbook.assess.designs import Design, folds_design
    from benchbook.assess.multiplicity import benjamini_hochberg, corrected, holm, letters
    from benchbook.assess.on_splits import split_means
    from benchbook.assess.power import (
        detectable_difference,
        instances_needed,
        power,
        power_over_tasks,
    )
    from benchbook.assess.rank_tests import ASSUMES, RankTests, rank_table, rank_tests
    from benchbook.assess.ratios import Ratios, ratios
    from benchbook.assess.rejection import accepted, rejection_curve
    from benchbook.assess.resampling import (
        corrected_resampled_t,
        cross_validated_t,
        five_by_two_t,
        resampled_t,
    )
    from benchbook.assess.sensitivity import total_effects
    from benchbook.assess.simulations.false_alarms import false_alarms
    from benchbook.assess.simulations.losses import (
        Size,
        simulate_losses,
        size_of_test,
        variance_of_mean,
    )
    from benchbook.assess.standings import error_components, standings
    from benchbook.assess.tiers import tiers
    from benchbook.assess.two_means import TestResult, mean_over_tasks, paired_t
    from benchbook.statistics import standard_error

__all__ = [
    "ASSUMES",
    "Comparison",
    "Cube",
    "Design",
    "Estimate",
    "Note",
    "RankTests",
    "Ratios",
    "Size",
    "TestResult",
    "Verdicts",
    "accepted",
    "assessment",
    "benjamini_hochberg",
    "by_design",
    "compare",
    "comparisons",
    "corrected",
    "corrected_resampled_t",
    "cross_validated_t",
    "cubes",
    "detectable_difference",
    "error_components",
    "expected_loss",
    "expected_losses",
    "false_alarms",
    "five_by_two_t",
    "folds_design",
    "holm",
    "instance_means",
    "instances_needed",
    "letters",
    "mean_over_tasks",
    "paired_t",
    "power",
    "power_over_tasks",
    "rank_table",
    "rank_tests",
    "ratios",
    "rejection_curve",
    "resampled_t",
    "simulate_losses",
    "size_of_test",
    "split_means",
    "standard_error",
    "standings",
    "tiers",
    "total_effects",
    "variance_of_mean",
]

import_on_demand(__name__, __file__)
