"""Every constant of the Bayesian neural networks, in one table.

The values of Neal's own runs are lost: in the text that survives every digit is missing, and the archive that held the
specifications was not found. The forms are his; the values are ours, each after the public example it names. "FBM" is
his Software for Flexible Bayesian Modeling, releases of 1995 to 1998, its documentation and examples.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchbook.methods.networks.bayesian.model import Model
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.networks.bayesian.runs import Schedule
from benchbook.methods.settings import setting


@dataclass(frozen=True)
class NutsSettings:
    """What NUTS does.

    A chain begins with z standard normal, and logarithms of precisions normal about that of ``start_sd``.
    """

    chains: int = setting(2, "chains, enough to compare one with another", least=1)
    warmup: int = setting(500, "states that tune steps and masses, and are thrown away", least=1)
    kept: int = setting(500, "states kept of each chain", least=4)
    acceptance: float = setting(0.9, "what the tuning aims at", above=0, below=1)
    depth: int = setting(
        10, "a trajectory has at most 2 to this power steps, less one", least=1, most=20
    )
    start_sd: float = setting(0.5, "standard deviations to begin with", above=0)


@dataclass(frozen=True)
class Constant:
    """One constant: its name, its value, whether it is the paper's or ours, and what it follows."""

    name: str
    value: float | str
    origin: str
    follows: str


TABLE: tuple[Constant, ...] = (
    Constant(
        "hidden", 15, "ours", "FBM's early-stopping example; as many as the mlp-bgd methods have"
    ),
    Constant("input-hidden", "0.05:0.5", "ours", "FBM's regression example"),
    Constant(
        "input-hidden, relevance",
        "x0.2:0.5:1",
        "ours",
        "FBM's example of automatic relevance determination",
    ),
    Constant("hidden bias", "0.05:0.5", "ours", "FBM's regression example"),
    Constant("hidden-output", "x0.05:0.5", "ours", "FBM's regression example"),
    Constant("direct, relevance", "x0.2:0.5:1", "ours", "the same as for input-hidden weights"),
    Constant("output bias", "1", "the paper", "standard deviation fixed at one"),
    Constant("noise", "0.05:0.5", "ours", "FBM's regression example"),
    Constant(
        "passes",
        60_000,
        "ours",
        "what FBM's early-stopping example comes to: 4 networks x 20,000 x 3/4",
    ),
    Constant(
        "passes, long",
        300_000,
        "ours",
        "five times as many for mlp-mc-1, 'considerably more' in the paper",
    ),
    Constant("passes, b", 3, "the paper", "factor of the b-variants: three times the computation"),
    Constant(
        "parts",
        4,
        "ours",
        "partial gradients are the paper's, FBM's documentation leaves their number open",
    ),
    Constant(
        "part size",
        16,
        "ours",
        "fewer parts when a part would have fewer cases; smaller ones only cost time",
    ),
    Constant(
        "length", 20, "ours", "passes of a trajectory: 10 sweeps through the parts, forth and back"
    ),
    Constant("window", 3, "ours", "states; FBM's examples have 10 of trajectories of 100 steps"),
    Constant("factor", 0.3, "ours", "FBM's persistent example: hybrid 100:10 0.3"),
    Constant("decay", 0.95, "ours", "FBM's persistent example: heatbath 0.95, with negate"),
    Constant("repeat", 5, "ours", "FBM's examples repeat 10 cycles between states saved"),
    Constant(
        "length, long",
        500,
        "ours",
        "mlp-mc-1, all cases at once: FBM's examples have 100 to 2000 steps",
    ),
    Constant("window, long", 10, "ours", "FBM's examples: windows of 10"),
    Constant("decay, long", 0, "ours", "FBM's example of long trajectories: full heatbath"),
    Constant("repeat, long", 1, "ours", "the state noted after each long trajectory"),
    Constant(
        "start",
        1 / 30,
        "ours",
        "FBM's example: 20 trajectories of 100 steps before hyperparameters move",
    ),
    Constant("start sd", 0.5, "ours", "FBM's example: hyperparameters fixed at 0.5 at first"),
    Constant("start length", 100, "ours", "FBM's example: trajectories of 100 steps"),
    Constant("start factor", 0.2, "ours", "FBM's example: hybrid 100:10 0.2"),
    Constant("discard", 1 / 3, "the paper", "the first third is discarded"),
    Constant("draws", 100, "ours", "enough for the mean; evenly thinned to keep predictions small"),
)

_VALUES = {constant.name: constant.value for constant in TABLE}


def _number(name: str) -> float:
    return float(_VALUES[name])


def _prior(name: str) -> Prior:
    return Prior.parse(str(_VALUES[name]))


@dataclass(frozen=True)
class NetworkChain:
    """The settings of a method that samples a network: the network with its priors, and the run of the chain."""

    model: Model
    schedule: Schedule


def model(relevance: bool, direct: bool) -> Model:
    """The network of a method, with relevance hyperparameters for its inputs and direct connections or without."""
    return Model(
        hidden=int(_number("hidden")),
        input_hidden=_prior("input-hidden, relevance" if relevance else "input-hidden"),
        hidden_bias=_prior("hidden bias"),
        hidden_output=_prior("hidden-output"),
        output_bias=_prior("output bias"),
        noise=_prior("noise"),
        direct=_prior("direct, relevance") if direct else None,
    )


def schedule(times: float = 1.0, long: bool = False) -> Schedule:
    """The schedule of a method: ``times`` the passes; ``long`` for mlp-mc-1, whole gradients and long trajectories."""
    form = ", long" if long else ""
    return Schedule(
        passes=round(times * _number("passes" + form)),
        parts=1 if long else int(_number("parts")),
        part_size=int(_number("part size")),
        length=int(_number("length" + form)),
        window=int(_number("window" + form)),
        factor=_number("factor"),
        decay=_number("decay" + form),
        repeat=int(_number("repeat" + form)),
        start=_number("start"),
        start_sd=_number("start sd"),
        start_length=int(_number("start length")),
        start_factor=_number("start factor"),
        discard=_number("discard"),
        draws=int(_number("draws")),
    )


def schedule_b() -> Schedule:
    """The schedule of the b-variants."""
    return schedule(times=_number("passes, b"))
