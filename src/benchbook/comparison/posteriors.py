"""Posteriors in hand: what a model is worth, each case left out, and which of several is best, without files.

from benchbook.comparison import posteriors
posteriors.loo(idata).sentence
posteriors.compare({"linear": idata, "splines": other})     # a Comparison, as the one call has it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchbook import charts, methods
from benchbook.assess.densities import (
    PosteriorAssessment,
    PosteriorComparison,
    assess_posterior,
    compare_posteriors,
    k_threshold,
    pit_verdict,
    posterior_question,
    read_log_likelihood,
)
from benchbook.assess.densities.checks import Index
from benchbook.assess.densities.draw_tables import from_frame
from benchbook.assess.densities.posterior_comparison import agree
from benchbook.assess.densities.refits import Refit
from benchbook.assess.densities.summaries import Quantile
from benchbook.comparison.alarms import Alarm
from benchbook.comparison.answering import ByMethod, FitTask
from benchbook.comparison.data import ask as ask_for
from benchbook.comparison.drawing import Drawing
from benchbook.comparison.encoded import encoded_cases
from benchbook.comparison.given.call import compare_results
from benchbook.comparison.result import Comparison
from benchbook.errors import BenchbookError
from benchbook.losses import Loss
from benchbook.methods import Method
from benchbook.predictive import Categorical
from benchbook.show import standalone
from benchbook.show.html import paragraph

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from benchbook.comparison.arguments import Table

_WORDS = {"S": "squared error", "A": "absolute error", "01L": "classification error"}


class LeftOut(PosteriorAssessment):
    """What a posterior is worth, each case left out: an assessment that shows itself, draws and writes a page."""

    def __repr__(self) -> str:
        return "\n".join([*(f"note: {note}" for note in self.notes), self.sentence])

    def _repr_html_(self) -> str:
        return "".join(paragraph(text).html for text in (self.sentence, *self.notes))

    def plot(self) -> Drawing:
        """k-hat of every case or group: which estimates can be trusted."""
        frame = self.left_out.frame()
        named = frame.rename({"group": "case"}) if self.member is not None else frame
        threshold = max(k_threshold(self.left_out.draws), 0.0)
        return Drawing(named, charts.k_hat_chart(named, threshold))

    def plot_pit(self) -> Drawing:
        """The ECDF of LOO-PIT values minus the uniform one, with its simultaneous 95 % band.

        Raises:
            BenchbookError: there are no targets and predictions that are numbers.
        """
        if self.pit is None:
            raise BenchbookError(
                "LOO-PIT needs observed data and draws from the posterior predictive, numbers both"
            )
        frame, _ = pit_verdict(self.pit)
        return Drawing(frame, charts.pit_chart(frame))

    def report(self, path: str | Path) -> Path:
        """Write a page with the sentence, the notes and the pictures, that opens in a browser."""
        parts: list[Any] = [paragraph(text) for text in (self.sentence, *self.notes)]
        if self.complexity:
            parts.append(paragraph(f"Effective parameters {self.complexity}."))
        parts += ["<h2>Which cases can be trusted</h2>", standalone.figure(self.plot().chart)]
        if self.pit is not None:
            parts += [
                "<h2>Calibration</h2>",
                paragraph(f"LOO-PIT {pit_verdict(self.pit)[1]}."),
                standalone.figure(self.plot_pit().chart),
            ]
        name = self.posterior.name or "a posterior"
        return standalone.write(path, f"{name}: each case left out", parts)


def loo(
    data: object,
    ask: str | Loss = "",
    *,
    groups: ArrayLike | str | None = None,
    variable: str | Sequence[str] = "",
    refits: Sequence[Any] = (),
    refit: Refit | None = None,
    case_weights: ArrayLike | None = None,
) -> LeftOut:
    """The expected utility of a model, each case or group left out by importance sampling.

    Args:
        data: an ``InferenceData`` or ``DataTree`` of ArviZ, what PyMC's and CmdStanPy's samplers return, an array of
            log likelihoods [chains, draws, N], or the path of a file.
        ask, groups, variable, case_weights: as for ``assess.densities.assess_posterior``.
        refits: posteriors of the model fitted without some of the cases, each what ``data`` may be.
        refit: a function that fits the model again without cases, such as ``refitting`` makes.

    Raises:
        FaultyInput, BenchbookError: as there.
    """
    found = assess_posterior(
        _posterior(data, variable),
        ask,
        groups=groups,
        variable=variable,
        refits=[_posterior(each, variable) for each in refits],
        refit=refit,
        case_weights=case_weights,
    )
    return LeftOut(**{field.name: getattr(found, field.name) for field in fields(found)})


def refitting(method: str | Method, X: Table, y: ArrayLike | str, *, seed: int = 1) -> Refit:
    """A function that fits one of benchbook's methods without some of the cases, for ``loo(..., refit=)``.

    The method must be the model of the posterior: ``gp-mc-1``, ``mlp-mc-2``, ``lin-1``. Its inputs are encoded anew by
    the cases of each fit.

    Args:
        method: its name, or the object.
        X: inputs [N, d] of the cases in their order. y: targets [N]. seed: of the fits.

    Raises:
        FaultyInput: what ``benchbook.compare`` would refuse. UnknownName: no such method.
    """
    cases = ask_for(X, y)
    asked = ByMethod(
        methods.get(method) if isinstance(method, str) else method, encoded_cases(cases)
    )

    def refit(places: Index) -> Any:
        train = np.setdiff1d(np.arange(len(cases)), places)
        words = (seed, *(int(place) for place in places))
        made = asked.answer(FitTask(cases, train, places, words, frozenset({"distribution"})))
        return made.distribution if made.probability is None else Categorical(made.probability)

    return refit


def compare(
    models: Mapping[str, Any],
    ask: str | Loss = "",
    *,
    groups: ArrayLike | str | None = None,
    variable: str | Sequence[str] = "",
    refits: Mapping[str, Sequence[Any]] = MappingProxyType({}),
    rope: float | None = None,
    reference: str | None = None,
) -> Comparison:
    """Which of several models is best, each case or group left out by importance sampling, and how sure is that?

    The losses of the left-out cases are compared as other results in hand are (``compare_results``). Chains that have
    not met, and cases that are not trusted and could turn which model is better, take the sentence away; an error is
    squared where root mean squares are asked for.

    Args:
        models: names with what ``loo`` takes.
        ask, groups, variable: as for ``loo``; labels of groups are in the order of the first model's cases.
        refits: of each model, by its name; as for ``loo``.
        rope, reference: as for ``compare_results``.

    Raises:
        FaultyInput: as for ``loo``; other cases or targets.
        BenchbookError: a question that is not about a mean over cases.
    """
    requested = posterior_question(ask)
    if isinstance(requested.summary, Quantile) or requested.of_targets is not None:
        raise BenchbookError(
            f"{requested.words} is no mean of the cases: ask benchbook.assess.densities.compare_posteriors for it"
        )
    read = {name: _posterior(data, variable) for name, data in models.items()}
    known = {name: [_posterior(each, variable) for each in parts] for name, parts in refits.items()}
    found = compare_posteriors(read, ask, groups=groups, variable=variable, refits=known)
    options: dict[str, Any] = {"cluster": "group"} if groups is not None else {}
    result = compare_results(
        _losses(found),
        higher_is_better=False,
        method="model",
        item="case",
        rope=rope,
        reference=reference,
        **options,
    )
    return replace(result, alarms=(*result.alarms, *_alarms(found)))


def _posterior(data: Any, variable: str | Sequence[str]) -> Any:
    if isinstance(data, str | Path):
        return read_log_likelihood(data, variable)
    if hasattr(data, "column_names") and callable(getattr(data, "draws", None)):
        draws = np.asarray(data.draws(concat_chains=False))  # CmdStanPy: [draws, chains, columns]
        chains = np.repeat(np.arange(draws.shape[1]), len(draws))
        flat = np.moveaxis(draws, 1, 0).reshape(-1, draws.shape[2])
        frame = pl.DataFrame(flat, schema=list(data.column_names))
        names = (variable,) if isinstance(variable, str) else tuple(variable)
        return from_frame(
            frame.with_columns(pl.Series(".chain", chains)),
            "the object",
            "log_lik",
            tuple(name for name in names if name),
        )
    return data


def _losses(found: PosteriorComparison) -> pl.DataFrame:
    """A line for each model and case: model, case, its loss under a name that says what it is, and its group."""
    first = next(iter(found.models))
    asked, frames = found.models[first].question, []
    sign = -1.0 if asked.orientation == "larger is better" else 1.0
    title = asked.loss.name if asked.loss else _WORDS.get(asked.code, "negative log density (nats)")
    title = "negative predictive likelihood" if asked.of == "likelihood" else title
    for name, model in found.models.items():
        values = sign * model.utilities[found.order(first, name)]
        cases = found.models[first].cases or tuple(map(str, range(values.size)))
        frame = pl.DataFrame({"model": [name] * values.size, "case": cases, title: values})
        member = found.models[first].member
        frames.append(
            frame if member is None else frame.with_columns(group=pl.Series(member).cast(pl.String))
        )
    return pl.concat(frames)


def _alarms(found: PosteriorComparison) -> list[Alarm]:
    """What the posteriors leave open; what withholds a verdict takes the sentence away."""
    texts = [
        f"the chains of `{name}` have not met ({short}): run longer chains, or look for what keeps them apart"
        for name, short in found.pairs.no_verdict.items()
    ]
    texts += [
        f"cases whose weights cannot be trusted could turn which of `{first}` and `{other}` is better: the probability "
        f"for `{first}` is {span[0]:.3g} to {span[1]:.3g}. Refit without these cases, or use folds"
        for (first, other), span in found.spans.items()
        if not agree(span)
    ]
    severe = [Alarm("BB11", text, severe=True) for text in texts]
    return [*severe, *(Alarm("BB11", note) for note in found.notes)]
