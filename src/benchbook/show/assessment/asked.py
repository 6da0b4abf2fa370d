"""What is asked: a prototask, methods, losses; refused before anything is run when it cannot be answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from benchbook import losses, methods, studies, tasks
from benchbook.datasets import available, card
from benchbook.errors import BenchbookError, UnknownName
from benchbook.show.assessment.standard import LOSSES, STANDARD
from benchbook.show.prototask import Assessed, complete

_KEY = ["method", "task", "instance"]


@dataclass(frozen=True)
class ComparisonRequest:
    """A comparison that can be made.

    Attributes:
        path: the prototask. plan: all its runs.
        names: the methods by name, the reader's first. mine: the reader's among them.
        code: the loss that methods are ranked by. unsuited: methods left out as they do not predict such a target.
    """

    path: str
    plan: studies.Plan
    names: tuple[str, ...]
    mine: tuple[str, ...]
    code: str
    unsuited: tuple[str, ...]

    @property
    def codes(self) -> tuple[str, ...]:
        """The losses of the page, that of the ranking first."""
        return tuple(dict.fromkeys((self.code, *(self.plan.losses or ()))))


def ask(
    subject: str,
    mine: Sequence[str],
    against: Sequence[str],
    codes: Sequence[str] = (),
    seed: int = 1,
) -> ComparisonRequest:
    """Check what is asked.

    Args:
        subject: a dataset with one prototask of DELVE's kind, or such a prototask.
        mine: methods, by name or as path/to/mine.py:my_method. against: others, or ``standard``.
        codes: losses to rank by (the first) and to show besides the usual ones. seed: of the runs.

    Raises:
        BenchbookError: no such dataset or prototask, loss or method; or a loss or method for another kind of target.
    """
    path = _prototask(subject)
    kind = tasks.prototask(path).kind
    others = [
        name for given in against for name in (STANDARD[kind] if given == "standard" else (given,))
    ]
    specs = tuple(dict.fromkeys((*mine, *others)))
    named = {methods.declared(spec).name: spec for spec in specs}
    suited = {name: spec for name, spec in named.items() if kind in methods.declared(spec).kinds}
    unsuited = tuple(name for name in named if name not in suited)
    wrong = [name for name in unsuited if named[name] in mine]
    if wrong:
        raise BenchbookError(
            f"{', '.join(wrong)} does not predict a {kind} target, which {path} has. "
            f"`benchbook methods list` shows which do; one of your own that does says so in "
            f"its decorator: @method(..., kinds=({kind!r},))"
        )
    if len(suited) < 2:
        raise BenchbookError(
            "a comparison needs two methods: --method path/to/mine.py:my_method, and --against "
            "standard or the names of others"
        )
    wanted = _codes(codes, kind, path)
    plan = studies.Plan(
        name=f"assess {path}", seed=seed, methods=list(suited.values()), tasks=[path], losses=wanted
    )
    return ComparisonRequest(
        path,
        plan,
        tuple(suited),
        tuple(name for name, spec in suited.items() if spec in mine),
        wanted[0],
        unsuited,
    )


def _prototask(subject: str) -> str:
    """The prototask that a name means."""
    if subject in tasks.prototasks():
        asked = tasks.prototask(subject)
        if not asked.disjoint:
            raise BenchbookError(
                f"{subject} has no disjoint training sets; its runs are compared by "
                f"`benchbook {'assess cv' if asked.folds else 'compare --tasks'} {subject}/...`"
            )
        return subject
    if subject not in available():
        raise UnknownName("dataset", subject, (*available(), *tasks.prototasks()))
    if card(subject).partition:
        raise BenchbookError(
            f"{subject} has one partition and no disjoint training sets; use `benchbook run --method "
            f"... --tasks {subject}/partition/a`"
        )
    fitting = [
        path
        for path in tasks.prototasks()
        if path.startswith(f"{subject}/") and tasks.prototask(path).disjoint
    ]
    if len(fitting) != 1:
        raise BenchbookError(
            f"{subject} has {len(fitting)} prototasks with disjoint training sets; name one"
            + (f": {', '.join(fitting)}" if fitting else "")
        )
    return fitting[0]


def _codes(given: Sequence[str], kind: str, path: str) -> tuple[str, ...]:
    wanted = tuple(losses.get(code).code for code in given)
    for code in wanted:
        loss = losses.get(code)
        if not loss.suits(kind) or loss.is_set:
            why = (
                "is one number for a whole set" if loss.is_set else f"is for {loss.suited} targets"
            )
            raise BenchbookError(
                f"loss {code} {why}; {path} has a {kind} target. Use {', '.join(LOSSES[kind])}, or "
                f"see "
                "`benchbook losses list`"
            )
    return tuple(dict.fromkeys((*wanted, *LOSSES[kind])))


def gathered(asked: ComparisonRequest, names: Sequence[str] = ()) -> Assessed:
    """The losses of the runs that there are, as the pages of prototasks show them.

    Args:
        asked: what was asked. names: some of its methods; all when left out.
    """
    chosen = tuple(names or asked.names)
    wanted = pl.DataFrame(
        [(key.method, key.task, key.instance) for key in asked.plan.runs() if key.method in chosen],
        schema=dict(zip(_KEY, (pl.String, pl.String, pl.Int64), strict=True)),
        orient="row",
    )
    both, tasks_asked = studies.overlay(), list(asked.plan.task_names())
    values = both.losses(tasks=tasks_asked, methods=list(chosen), code=list(asked.codes))
    records = both.records(tasks=tasks_asked, methods=list(chosen))
    values, records = (
        frame.join(wanted, on=_KEY, how="semi", maintain_order="left")
        for frame in (values, records)
    )
    values, gaps = complete(values, wanted)
    broken = records.filter(pl.col("status") != "ok").select(*_KEY, "error").rows()
    failed = [
        f"Failed: {line}."
        for line in studies.failures((studies.RunKey(*key), why) for *key, why in broken)
    ]
    notes = [
        f"{', '.join(asked.unsuited)}: left out, as {asked.path} has another kind of target."
    ] * bool(asked.unsuited)
    return Assessed(asked.path, chosen, asked.codes, values, records, (*notes, *failed, *gaps))
