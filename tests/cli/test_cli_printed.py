"""What commands print, word for word, and their exit codes: ``printed.txt`` beside this file (``plugins/printed.py``).

Numbers of JSON are held to six digits, and numbers of lines are left out. Studies, simulations and archives are not
carried out: their results are made up here.
"""

import re
import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from printed import held, read

from benchbook import datasets, studies
from benchbook.assess.bands import Residual
from benchbook.bookmaking import runs
from benchbook.cli import app, archive, assess, bands, today
from benchbook.cli import archive as runs_commands
from benchbook.studies import RunKey, Summary

FILE = Path(__file__).with_name("printed.txt")
TASK, OTHER = "kin-8nm-sim/dist/std.64", "kin-8nm-sim/dist/std.128"
SPECIFICATION = """
[[input]]
attribute = "size"
kind = "real"
range = "training cases"

[[input]]
attribute = "colour"
kind = "nominal"
values = ["blue", "green", "red"]

[[output]]
attribute = "price"
kind = "real"
range = "training cases"
"""
NUMBER = re.compile(r"(?<=[ \[])-?\d+\.\d+(?:e[-+]?\d+)?(?=,?$)", re.M)


def tables(folder: Path) -> None:
    """Little tables, and posteriors of four chains whose weights are good, whose are bad, and that have not met."""
    rng = np.random.default_rng(3)
    cases = range(90)
    frame = pl.DataFrame(
        {
            "id": cases,
            "person": [f"p{case % 30}" for case in cases],
            "size": rng.normal(size=90).round(3),
            "colour": [("red", "green", "blue")[case % 3] for case in cases],
            "flat": 2.5,
            "price": [None, *rng.normal(size=89).round(3)],
        }
    )
    frame = frame.with_columns(
        kind=pl.when(pl.col("size") > 0.4).then(pl.lit("a")).otherwise(pl.lit("b"))
    )
    frame.write_csv(folder / "t.csv")
    (folder / "bad.csv").write_text("a,b\n" + "1,x\n" * 20)
    (folder / "same.toml").write_text('problem = "nothing"\n')
    lines = ["bool_in=0", "real_in=2", "bool_out=0", "real_out=1"]
    lines += ["training_examples=40", "validation_examples=20", "test_examples=20"]
    values = rng.normal(size=(80, 3)).round(4)
    (folder / "n.dt").write_text(
        "\n".join([*lines, *(" ".join(map(str, row)) for row in values), ""])
    )
    observed = np.append(rng.normal(size=11), 6.0)
    centre = rng.normal(observed.mean(), 0.3, (4, 250))
    for name, shift, spread in (("a", 0.0, 1.0), ("b", 0.5, 1.0), ("c", 0.0, 1.5)):
        apart = (observed - centre[..., None] - shift) / spread
        values = -0.5 * apart**2 - np.log(spread) - 0.9
        np.save(folder / f"{name}.npy", values)
        np.save(folder / f"{name}-good.npy", values[..., :-1])
    unmet = np.load(folder / "a-good.npy") + np.array([0.0, 1.0, 0.0, 2.0])[:, None, None]
    np.save(folder / "unmet.npy", unmet)
    for name in "ab":
        values = np.load(folder / f"{name}.npy").reshape(1000, 12)
        frame = pl.DataFrame(values, schema=[f"case {case}" for case in range(12)])
        frame = frame.with_columns(chain=pl.Series(np.repeat(range(4), 250)))
        frame.write_parquet(folder / f"{name}-all.parquet")
        for fold in range(3):
            moved = frame.with_columns(pl.exclude("chain") - 0.1 * fold)
            moved.write_parquet(folder / f"{name}-moved{fold}.parquet")
            left_out = [f"case {case}" for case in range(fold, 12, 3)]
            moved.select(*left_out, "chain").write_parquet(folder / f"{name}-fold{fold}.parquet")
    (folder / "folds.csv").write_text("fold\n" + "".join(f"{case % 3}\n" for case in range(12)))
    np.save(folder / "likelihoods.npy", np.exp(np.load(folder / "a-good.npy")))
    texts = {"names.txt": "Ann\n\n Ben \n", "twice.txt": "Ann\nBen\nAnn\n", "empty.txt": "\n"}
    texts["words.csv"] = "log_lik.1,log_lik.2\n" + "-1,x\n" * 9
    texts["spec.toml"] = SPECIFICATION
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "groups.csv").write_text("who\n" + "".join(f"g{case // 3}\n" for case in range(12)))


def submissions(folder: Path) -> None:
    """A challenge on data of its own, two submissions to it, and a faulty one."""
    phases = ["training"] * 20 + ["validation"] * 5 + ["test"] * 15
    rows = [f"c{at},{phase},{at % 7 + 0.5 * (at % 2)}\n" for at, phase in enumerate(phases)]
    (folder / "fuel.csv").write_text("case,phase,target\n" + "".join(rows))
    for name, line, count in (("one", "2.5,4.0", 15), ("two", "3.0,9.0", 15), ("short", "1,1", 9)):
        (folder / "sent" / name).mkdir(parents=True)
        (folder / "sent" / name / "manifest.toml").write_text(
            f'format = "benchbook.submission/1"\nname = "{name}"\nteam = "team of {name}"\nmethod = "m"\n'
            '[[prediction]]\ntask = "fuel/test"\nfile = "p.csv"\nkind = "gaussian"\n'
        )
        own = "5" if name == "two" else ""  # another variance in the later cases
        cases = "".join(f"c{at},{line}{own * (at > 32)}\n" for at in range(25, 25 + count))
        (folder / "sent" / name / "p.csv").write_text(f"case,mean,variance\n{cases}")


def spied(monkeypatch, folder: Path) -> None:
    """Results of what would take long."""

    def gives(target, name, value):
        monkeypatch.setattr(target, name, lambda *args, **options: value)

    gives(datasets, "at_hand", True)
    gives(runs, "execute_with", None)
    gives(runs, "execute", ["a page", "another"])
    left = {"lin-1": Residual(0.31, 0.02, 7), "knn-cv-1": Residual(0.22, 0.03, 7)}
    gives(bands, "_residuals", left)
    line = {
        "provenance": "",
        "detail": "",
        "loss": "S",
        "cases_apart": 2,
        "cases": 8,
        "largest": 0.5,
    }
    line |= {
        "mean": 1.25,
        "other_mean": 1.5,
        "method": "lin-1",
        "other_method": "knn-1",
        "task": TASK,
    }
    states = ("the same", "differs", "only in the first")
    changes = [{}, {"provenance": "numpy"}, {"detail": "a word", "cases_apart": None, "loss": None}]
    rows = [line | {"instance": at, "state": states[at]} | more for at, more in enumerate(changes)]
    gives(runs_commands.difference, "differences", pl.DataFrame(rows))
    gives(runs_commands.difference, "counts", dict.fromkeys(states, 1))
    gives(runs_commands.difference.Side, "read", None)
    records = pl.DataFrame(
        {"task": [TASK, TASK, OTHER], "method": ["m", "n", "n"], "status": ["ok", "ok", "failed"]}
    ).with_columns(seconds=pl.Series([1.0, 2.0, 4.0]))
    checks = [
        ("file", "a", True, "good"),
        ("file", "b", False, "bad"),
        ("run", "c", None, "no data"),
    ]
    report = [
        dict(zip(("kind", "name", "ok", "verdict"), row, strict=True)) | {"detail": "d"}
        for row in checks
    ]
    store = SimpleNamespace(
        records=lambda: records,
        pairs=lambda: [1],
        verify=lambda run, sample, rng: pl.DataFrame(report),
        publish=lambda source: None,
    )
    gives(archive.studies, "Archive", store)
    shares = pl.DataFrame({"method": "m", "bound": ["x", "y"], "share": [0.1, 0.6]})
    gives(archive.active_bounds, "active", shares)
    table = {"task": [TASK], "method": ["m"], "to_run": [3], "there": [1], "failed_before": [2]}
    failed = [(RunKey("m", TASK, 0), "no"), (RunKey("m", TASK, 1), "no")]
    summary = Summary("today", folder, kept_failed=failed, missing={"d/t": "gone"})
    summary = replace(summary, left=3, kept=[RunKey("m", TASK, 2)], not_applicable=[("m", "e/t")])
    outlook = SimpleNamespace(
        table=pl.DataFrame(table | {"seconds_each": [40.0]}),
        summary=summary, seconds=120.0, workers=3, unknown=1, as_dict=lambda: {"left": 3},
    )  # fmt: skip
    gives(studies, "outlook", outlook)
    gives(studies, "run", summary)
    tiers = {"training_cases": [64, 64, 1024], "tier": [1, 2, 1], "method": ["a", "b", "a"]}
    tiers |= {
        "mean": [0.5, 0.6, 0.4],
        "standard_error": [0.01, 0.02, 0.03],
        "ties": ["A", "B", "A"],
    }
    tiers = pl.DataFrame(tiers | {"seconds": [0.123, 4.56, 7.0]})
    tasks = {64: ("x", "y"), 1024: ("x",)}
    monkeypatch.setattr(
        today.page,
        "ask",
        lambda mine, *rest: SimpleNamespace(plan="plan" if mine else None, code="S", tasks=tasks),
    )
    gives(today.page, "tiers_found", (tiers, {"c": 2}))
    gives(today.page, "save", None)
    truths = [
        {
            "world": "plain",
            "model": model,
            "interval": interval,
            "utility": "rmse",
            "procedure": "loo",
        }
        | {
            "truth": "the model",
            "coverage": 0.9,
            "standard_error": 0.01,
            "bias": 0.02,
            "bias_error": 0.1,
        }
        for model in ("large", "small")
        for interval in ("bootstrap", "t")
    ]
    gives(assess.coverages, "continued", pl.DataFrame(truths))
    gives(assess.two_truths, "continued", pl.DataFrame(truths[:1]))
    facts = pl.DataFrame(
        {"part": ["x", "x", "y"], "model": "mlp", "scheme": "k", "diagnostics": "{}"}
    )
    for example in (assess.arm_example, assess.forest_example):
        gives(example, "continued", (facts, facts))
    gives(assess.concrete_example, "continued", facts)
    for example in (assess.arm_example, assess.forest_example, assess.concrete_example):
        gives(example, "longer", facts[:1])


def paragraphs(page: Path) -> str:
    """The sentences of a page, without tables, charts, times and versions."""
    bare = re.sub(
        r"<(style|svg|table|script).*?</\1>", "", page.read_text(encoding="utf8"), flags=re.S
    )
    plain = " ".join(re.sub(r"<[^>]+>", " ", bare).split())
    told = "".join(f"p: {line}\n" for line in re.split(r"(?<=[.;:]) ", plain))
    return re.sub(r"\d+([.]\d+)+([a-z]+\d+)?(?=[,;)])|[\d.]+ s\b|\d{4}-\d\d-\d\d", "N", told)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("printed")
    tables(folder)
    submissions(folder)
    return folder


@pytest.mark.parametrize("command", read(FILE), ids=str)
def test_what_a_command_prints(command, place, home, monkeypatch):
    spied(monkeypatch, place)
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "100")
    result = CliRunner().invoke(app, shlex.split(command))
    text = NUMBER.sub(lambda match: f"{float(match[0]):.6g}", result.output)
    text = re.sub(r'(?<=[.]py:)\d+|(?<="line": )\d+|(?<=See all )\d+', "N", text)
    if command.startswith("compare t"):  # the last column has the seconds of a fit
        text = re.sub(r"  +(?:fit|-+|–|[\d.]+ s)$", "", text, flags=re.M)
        text += paragraphs(place / "page.html") if "--page" in command else ""
    text = text.replace(str(place), "HERE").replace(str(home), "HOME") + f"[{result.exit_code}]\n"
    held(FILE, command, text)
