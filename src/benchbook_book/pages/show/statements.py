"""What Neal (1998) says about the methods, in our words, each statement as comparisons that a study can make.

The running text of our copy of the paper has lost its digits. Most names of methods and datasets follow from what is
said of them, or from a figure, whose headings and grids of p digits are whole (``neal_digits``). Where they do not, a
statement is ``emended``; where ours covers more tasks than his, it is ``widened``. Margins such as "much" (a fifth) are
ours.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchbook_book.pages.show import observed
from benchbook_book.pages.show.neal import EARLY, FAMILIES, LONGER, PROTOTASKS, SAMPLED, SIZES
from benchbook_book.pages.verdicts import Claim, Counted, Part, Statement

ALL, ALL_BUT_ONE, MOST, MANY, SOME, FEW = 0.9, 0.8, 0.5, 0.25, 0.1, 0.05
"""Shares of comparisons behind the paper's words: in all, in all save one, generally, often, sometimes, at times."""

MUCH, NOT_MUCH, HALF = 0.8, 1.25, 0.5
"""Factors: a fifth less; not a quarter more; half."""

KIN, PUMADYN, BANK = FAMILIES["kin"], FAMILIES["pumadyn"], FAMILIES["bank"]
_KIN_8, _KIN_32, _PUMA_8, _PUMA_32, _BANK_8 = KIN[:1], KIN[1:], PUMADYN[:1], PUMADYN[1:], BANK[:1]
_LATE, _FIRST = (512, 1024), (64, 128)

_ESE, _BGD_1, _BGD_2, _BGD_3 = ((name,) for name in EARLY)
_BGD = (*_BGD_1, *_BGD_2)
_RELEVANCE, _PLAIN, _SHORT = SAMPLED[2:3], SAMPLED[3:], SAMPLED[1:]

_DATA = "the data is re-created"
_STATIC = "the exponent and the floor of its step sizes are ours"
_REBUILT = "`mlp-ese-1` is our reconstruction"
_PASSES = "the number of passes is ours, and with it how far the chains get"
_STEPS = "step size and number of iterations are ours"


def _seen(claim: Claim, least: float, most: float = 0.05) -> Part:
    return Part((claim,), least, most)


def _much(
    better: tuple[str, ...],
    worse: tuple[str, ...],
    prototasks: tuple[str, ...],
    sizes: tuple[int, ...] = SIZES,
    least: float = SOME,
    factor: float = MUCH,
) -> Part:
    """A large difference in a share of the comparisons; what the others show is not asked."""
    return Part((Claim(better, worse, prototasks, sizes, factor),), least, 1.0)


def _longer(better: bool, prototasks: tuple[str, ...], sizes: tuple[int, ...] = SIZES) -> Part:
    """Each longer run against the method it lengthens, or the other way round."""
    pairs = [((long,), (long.removesuffix("b"),)) for long in LONGER]
    return Part(
        tuple(Claim(*(pair if better else pair[::-1]), prototasks, sizes) for pair in pairs),
        SOME,
        SOME,
    )


_OF_KIN = (
    Statement(
        "kin-samplers",
        "many cases: sampled networks win",
        "With 512 cases and, with 32 inputs, with 1,024 the sampled networks all beat every early-stopping ensemble.",
        (
            _seen(Claim(SAMPLED, EARLY, _KIN_8, (512,)), ALL),
            _seen(Claim(SAMPLED, EARLY, _KIN_32, _LATE), ALL),
        ),
        "study",
        _DATA,
    ),
    Statement(
        "kin-small",
        "few cases: sampled networks not always better",
        "With smaller training sets they are not consistently better.",
        (Part((Claim(SAMPLED, EARLY, KIN, _FIRST),), 0.0, 1.0, below=MOST),),
        "convergence",
        _PASSES,
    ),
    Statement(
        "kin-static",
        "mlp-bgd-3 poor",
        "`mlp-bgd-3` does very poorly with 8 inputs, and worse than the others with 32.",
        (
            _much(EARLY[:3], _BGD_3, _KIN_8, least=MOST),
            _seen(Claim(EARLY[:3], _BGD_3, _KIN_32), MOST),
        ),
        "methods",
        _STATIC,
    ),
    Statement(
        "kin-alike",
        "other early-stopping methods alike",
        "`mlp-ese-1`, `mlp-bgd-1` and `mlp-bgd-2` do not differ much.",
        (_seen(Claim(EARLY[:3], EARLY[:3], KIN, factor=NOT_MUCH), ALL),),
        "early-stopping",
        _REBUILT,
    ),
    Statement(
        "kin-bgd-2",
        "mlp-bgd-2 a little better than -1",
        "`mlp-bgd-2` is a little better than `mlp-bgd-1`, though rarely significantly.",
        (_seen(Claim(_BGD_2, _BGD_1, KIN), SOME),),
        "early-stopping",
        _DATA,
    ),
    Statement(
        "kin-plain",
        "many cases: without relevance a little worse",
        "With 32 inputs and 512 or 1,024 cases the sampled network without relevance hyperparameters is a bit worse.",
        (_seen(Claim(SAMPLED[:3], _PLAIN, _KIN_32, _LATE), SOME),),
        "methods",
        "the priors are ours",
    ),
)

_OF_PUMADYN = (
    Statement(
        "puma-static-good",
        "8 inputs, few cases: mlp-bgd-3 very good",
        "`mlp-bgd-3` does very well with 8 inputs, above all with few training cases.",
        (_seen(Claim(_BGD_3, EARLY[:3], _PUMA_8, _FIRST), MOST),),
        "methods",
        _STATIC,
    ),
    Statement(
        "puma-static-bad",
        "32 inputs: mlp-bgd-3 very bad",
        "`mlp-bgd-3` does very badly with 32 inputs.",
        (_much(_BGD, _BGD_3, _PUMA_32, least=MANY),),
        "methods",
        _STATIC,
    ),
    Statement(
        "puma-ese",
        "mlp-ese-1 at times much worse, never much better",
        "`mlp-ese-1` is sometimes much worse than `mlp-bgd-1` and `-2`, and never much better.",
        (_much(_BGD, _ESE, PUMADYN), _seen(Claim(_BGD, _ESE, PUMADYN, factor=NOT_MUCH), MOST)),
        "early-stopping",
        _REBUILT,
    ),
    Statement(
        "puma-bgd-2",
        "mlp-bgd-2 better than -1",
        "`mlp-bgd-2` is consistently better than `mlp-bgd-1`.",
        (_seen(Claim(_BGD_2, _BGD_1, PUMADYN), MOST),),
        "early-stopping",
        _DATA,
    ),
    Statement(
        "puma-bgd-2-much",
        "32 inputs: mlp-bgd-2 at times much better",
        "On some tasks with 32 inputs that advantage is large.",
        (_much(_BGD_2, _BGD_1, _PUMA_32),),
        "early-stopping",
        _DATA,
        emended="the number of inputs, and the sizes",
    ),
    Statement(
        "puma-converge",
        "32 inputs: chains far from convergence",
        "With 32 inputs many chains are far from convergence.",
        (
            Part(
                (
                    Counted(
                        "runs in which split R-hat of some hyperparameter is above 1.1",
                        observed.not_converged,
                    ),
                ),
                MANY,
                1.0,
            ),
        ),
        "convergence",
        _PASSES,
    ),
    Statement(
        "puma-samplers",
        "8 inputs, 1024 cases: sampled networks win",
        "Where chains converge (8 inputs, many cases), sampling with relevance hyperparameters beats early stopping.",
        (_seen(Claim(SAMPLED[:3], EARLY, _PUMA_8, (1024,)), ALL),),
        "convergence",
        _PASSES,
        emended="the three methods, the number of inputs and the size of his example",
    ),
    Statement(
        "puma-relevance",
        "32 inputs: relevance helps, at times by half",
        "With 32 inputs relevance hyperparameters help, and on a few tasks dramatically.",
        (
            _seen(Claim(_RELEVANCE, _PLAIN, _PUMA_32), MOST),
            _much(_RELEVANCE, _PLAIN, _PUMA_32, factor=HALF),
        ),
        "methods",
        _PASSES,
    ),
)

_OF_BANK = (
    Statement(
        "bank-bgd-2",
        "mlp-bgd-2 a little better than -1",
        "`mlp-bgd-2` is consistently a little better than `mlp-bgd-1`.",
        (_seen(Claim(_BGD_2, _BGD_1, BANK), MOST),),
        "early-stopping",
        _DATA,
    ),
    Statement(
        "bank-static",
        "mlp-bgd-1, -2 much better than mlp-bgd-3",
        "Both are usually much better than `mlp-bgd-3`.",
        (_much(_BGD, _BGD_3, BANK, least=MOST),),
        "bank",
        _STATIC,
    ),
    Statement(
        "bank-ese",
        "mlp-bgd-1, -2 much better than mlp-ese-1",
        "Both are usually much better than `mlp-ese-1`: so the text, though his figure has no such method on bank.",
        (_much(_BGD, _ESE, BANK, least=MOST),),
        "bank",
        _REBUILT,
    ),
    Statement(
        "bank-line",
        "mlp-bgd-1, -2 much better than lin-1",
        "The same with `lin-1`, which has the place of `mlp-ese-1` in his figure of bank.",
        (_much(_BGD, ("lin-1",), BANK, least=MOST),),
        "bank",
        _DATA,
        emended="the name: the text has `mlp-ese`, the figure `lin-1`",
    ),
    Statement(
        "bank-samplers",
        "sampled networks never better than mlp-bgd-2",
        "No sampled network is ever significantly better than `mlp-bgd-2`, and some are much worse.",
        (_seen(Claim(_BGD_2, _SHORT, BANK), 0.0), _much(_BGD_2, _SHORT, BANK)),
        "bank",
        _DATA,
        emended="which of the early-stopping methods they are held against",
    ),
    Statement(
        "bank-linear",
        "sampled networks at times worse than a line",
        "Now and then a sampled network is worse than a straight line.",
        (Part((Claim(("lin-1",), _SHORT, BANK),), FEW, 1.0),),
        "bank",
        _DATA,
        widened="he names two methods on one task; which, is lost, and ours covers all",
    ),
)

_OF_STOPPING = (
    Statement(
        "stop-early",
        "early iterations chosen",
        "`mlp-bgd-1` and `-2` often choose an early iteration: here, one of the first twentieth.",
        (
            Part(
                (
                    Counted(
                        "networks whose chosen iteration is within the first twentieth",
                        observed.early_chosen,
                    ),
                ),
                MANY,
                1.0,
            ),
        ),
        "early-stopping",
        _STEPS,
    ),
    Statement(
        "stop-first",
        "iteration 1 chosen",
        "In several task instances a network of one iteration was chosen.",
        (
            Part(
                (Counted("runs with a network of one iteration", observed.first_chosen),), 0.01, 1.0
            ),
        ),
        "early-stopping",
        _STEPS,
    ),
    Statement(
        "stop-last",
        "the last iteration rarely chosen",
        "Rarely is it the last, so that more time would gain little.",
        (
            Part(
                (Counted("networks chosen before the last iteration", observed.last_not_chosen),),
                ALL,
                SOME,
            ),
        ),
        "early-stopping",
        _STEPS,
    ),
    Statement(
        "stop-static",
        "mlp-bgd-3: the last more often",
        "`mlp-bgd-3` chooses the last much more often.",
        (
            Part(
                (
                    Counted(
                        "task instances in which it does so more often than both, of those in which it differs",
                        observed.last_chosen_more,
                    ),
                ),
                0.8,
                0.2,
            ),
        ),
        "early-stopping",
        _STATIC,
    ),
    Statement(
        "stop-ensemble",
        "four networks better than one",
        "The ensemble of four is often clearly better than one network, above all with few training cases.",
        (
            _seen(Claim(_BGD_2, ("mlp-bgd-2b",), (*KIN, *PUMADYN)), MOST),
            _much(_BGD_2, ("mlp-bgd-2b",), (*KIN, *PUMADYN), _FIRST, MANY, 0.9),
        ),
        "early-stopping",
        _STEPS,
    ),
    Statement(
        "stop-ese",
        "mlp-bgd-1 and -2 as good as mlp-ese-1",
        "`mlp-bgd-1` and `-2` are generally as good as `mlp-ese-1`, within a tenth, or better.",
        (_seen(Claim(_BGD, _ESE, (*KIN, *PUMADYN), factor=1.1), MOST, MANY),),
        "early-stopping",
        _REBUILT,
    ),
)

_OF_LONGER = (
    Statement(
        "long-helps",
        "pumadyn, 32 inputs: more passes help",
        "Three times the passes improve the sampled networks on some pumadyn tasks with 32 inputs.",
        (_longer(True, _PUMA_32),),
        "convergence",
        _PASSES,
    ),
    Statement(
        "long-best",
        "pumadyn, 32 inputs: mlp-mc-3b far ahead",
        "`mlp-mc-3b` is then much better than `mlp-bgd-2`, save perhaps at one size.",
        (_much(LONGER[1:2], _BGD_2, _PUMA_32, least=ALL_BUT_ONE),),
        "convergence",
        _PASSES,
        emended="which of the two longer runs with relevance hyperparameters it is",
    ),
    Statement(
        "long-anomaly",
        "pumadyn, 32 inputs: mlp-mc-2b at times far behind",
        "`mlp-mc-2b`, whose model is nearly the same, is sometimes much worse than `mlp-mc-3b`.",
        (_much(LONGER[1:2], LONGER[:1], _PUMA_32),),
        "convergence",
        _PASSES,
        emended="which of the two it is",
    ),
    Statement(
        "long-relevance",
        "relevance helps with them too",
        "Relevance hyperparameters help there with the longer runs too.",
        (_seen(Claim(LONGER[1:2], LONGER[2:], _PUMA_32), MOST),),
        "convergence",
        _PASSES,
    ),
    Statement(
        "long-bank",
        "bank, 8 inputs: more passes harm",
        "On bank with 8 inputs more passes make the sampled networks worse, above all with many training cases.",
        (_longer(False, _BANK_8, (256, 512, 1024)),),
        "bank",
        _DATA,
    ),
    Statement(
        "long-noise",
        "bank, 8 inputs: the noise level falls",
        "There the chains come to states in which the noise is small.",
        (
            Part(
                (
                    Counted(
                        "longer runs with a lower noise level than the shorter ones",
                        observed.noise_lower,
                    ),
                ),
                0.6,
                0.4,
            ),
        ),
        "bank",
        _DATA,
    ),
)

_OF_ALL = (
    Statement(
        "relevance",
        "sampling: with relevance a little better",
        "Sampled networks with relevance hyperparameters are generally a little better than those without.",
        (_seen(Claim(_RELEVANCE, _PLAIN, PROTOTASKS), MANY, SOME),),
        "methods",
        _PASSES,
    ),
    Statement(
        "relevance-worse",
        "kin, few cases: relevance at times worse",
        "On kin with few training cases they are sometimes worse.",
        (Part((Claim(_PLAIN, _RELEVANCE, KIN, _FIRST),), SOME, 1.0),),
        "convergence",
        _PASSES,
        widened="he names one size, which is lost; ours covers two",
    ),
    Statement(
        "bgd-2",
        "mlp-bgd-2 never worse than -1",
        "`mlp-bgd-2` is never significantly worse than `mlp-bgd-1`.",
        (
            _seen(Claim(_BGD_2, _BGD_1, PROTOTASKS), 0.0),
            _seen(Claim(_BGD_2, _BGD_1, PROTOTASKS, factor=NOT_MUCH), MOST),
        ),
        "early-stopping",
        _DATA,
    ),
    Statement(
        "bgd-2-much",
        "mlp-bgd-2 at times much better than -1",
        "Sometimes `mlp-bgd-2` is much better than `mlp-bgd-1`.",
        (_much(_BGD_2, _BGD_1, PROTOTASKS),),
        "early-stopping",
        _DATA,
    ),
    Statement(
        "bgd-3",
        "mlp-bgd-3 at times better, often much worse",
        "`mlp-bgd-3` is sometimes better than `mlp-bgd-1`, and more often much worse.",
        (
            Part((Claim(_BGD_3, _BGD_1, PROTOTASKS),), SOME, 1.0),
            _much(_BGD_1, _BGD_3, PROTOTASKS, least=MANY),
        ),
        "methods",
        _STATIC,
    ),
    Statement(
        "samplers",
        "kin, pumadyn: mlp-mc-3 beats mlp-bgd-2",
        "On kin and pumadyn, where chains converge and the model fits, relevance sampling beats even `mlp-bgd-2`.",
        (_seen(Claim(_RELEVANCE, _BGD_2, (*KIN, *PUMADYN)), MOST, SOME),),
        "convergence",
        _PASSES,
    ),
    Statement(
        "early",
        "bank: mlp-bgd-2 beats sampling",
        "Where the model does not fit (bank), early stopping can do better.",
        (_seen(Claim(_BGD_2, _SHORT, BANK), MANY, SOME),),
        "bank",
        _DATA,
    ),
)

STATEMENTS: Mapping[str, tuple[Statement, ...]] = {
    "kin": _OF_KIN,
    "pumadyn": _OF_PUMADYN,
    "bank": _OF_BANK,
    "early stopping": _OF_STOPPING,
    "longer runs": _OF_LONGER,
    "conclusions": _OF_ALL,
}
"""The statements by what they are about."""
