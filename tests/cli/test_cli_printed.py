"""What commands print, word for word, and their exit codes: ``printed.txt`` beside this file (``plugins/printed.py``).

Numbers of JSON are held to six digits, and numbers of lines are left out. Studies, simulations, archives, servers and
what is made from the book are not carried out: their results are made up here, and a line ``> name(arguments)`` says
how each was called. A line ``+ file`` says what was written, and how text begins.
"""

import re
import shlex
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from command_lines import invoke
from printed import held, read, shown

from benchbook import charts, datasets, studies
from benchbook.assess import densities
from benchbook.assess.bands import Residual
from benchbook.cli import archive, assess, bands, today
from benchbook.cli import archive as runs_commands
from benchbook.studies import RunKey, Summary
from benchbook.tasks import user
from benchbook_book.commands import book, challenge_server
from benchbook_book.commands import challenge_participants as participants
from benchbook_book.making import runs
from benchbook_book.pages.simulations import __main__ as simulations

FILE = Path(__file__).with_name("printed.txt")
ROOT = Path(__file__).resolve().parents[2]
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
    for name, most in (("heavy", 12), ("ten", 10)):
        np.save(folder / f"{name}.npy", 30 * np.load(folder / "a.npy")[..., :most])
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
    for fold in range(3):
        kept = [case for case in range(11) if case % 3 != fold]
        apart = pl.DataFrame(np.delete(unmet, kept, 2).reshape(1000, -1))
        apart.columns = [f"case {case}" for case in range(fold, 11, 3)]
        apart = apart.with_columns(chain=pl.Series(np.repeat(range(4), 250)))
        apart.write_parquet(folder / f"unmet-fold{fold}.parquet")
    (folder / "folds.csv").write_text("fold\n" + "".join(f"{case % 3}\n" for case in range(12)))
    np.save(folder / "likelihoods.npy", np.exp(np.load(folder / "a-good.npy")))
    texts = {"names.txt": "Ann\n\n Ben \n", "twice.txt": "Ann\nBen\nAnn\n", "empty.txt": "\n"}
    grades, gaps = ("low", "medium", "high"), ("none", "x", "", "none")
    rows = [
        f"{case:05d};{case + 3};{grades[case % 3]};n{case};{gaps[case % 4]};"
        f"{'' if case % 3 else case};{case % 2};{case * 0.5 if case else '?'};k{case // 2};{case % 5}"
        for case in range(40)
    ]
    head = "zip;id;grade;note;gap;hole;flag;zip code;many;y"
    (folder / "mixed.csv").write_text("\n".join([head, *rows, ""]))
    (folder / "latin.csv").write_bytes(b"\xe4\n")
    texts["words.csv"] = "log_lik.1,log_lik.2\n" + "-1,x\n" * 9
    texts["spec.toml"] = SPECIFICATION
    texts["plan.toml"] = (
        f'name = "p"\nseed = 4\nmethods = ["lin-1"]\ntasks = ["{TASK}"]\nlosses = ["A", "S"]\n'
    )
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "groups.csv").write_text("who\n" + "".join(f"g{case // 3}\n" for case in range(12)))


def submissions(folder: Path) -> None:
    """A challenge on data of its own, two submissions to it, and a faulty one; and a challenge with inputs."""
    phases = ["training"] * 20 + ["validation"] * 5 + ["test"] * 15
    rows = [f"c{at},{phase},{at % 7 + 0.5 * (at % 2)}" for at, phase in enumerate(phases)]
    (folder / "fuel.csv").write_text("\n".join(["case,phase,target", *rows, ""]))
    rows = [f"{row},{at % 5}" for at, row in enumerate(rows)]
    (folder / "cars.csv").write_text("\n".join(["case,phase,target,size", *rows, ""]))
    for name, line, count in (("one", "2.5,4.0", 15), ("two", "3.0,9.0", 15), ("short", "1,1", 9)):
        (folder / "sent" / name).mkdir(parents=True)
        (folder / "sent" / name / "manifest.toml").write_text(
            f'format = "benchbook.submission/1"\nname = "{name}"\nteam = "team of {name}"\nmethod = "m"\n'
            '[[prediction]]\ntask = "fuel/test"\nfile = "p.csv"\nkind = "gaussian"\n'
        )
        own = "5" if name == "two" else ""  # another variance in the later cases
        cases = "".join(f"c{at},{line}{own * (at > 32)}\n" for at in range(25, 25 + count))
        (folder / "sent" / name / "p.csv").write_text(f"case,mean,variance\n{cases}")


def told(value) -> str:
    """An argument of a call; what has functions is only said to be there."""
    if isinstance(value, SimpleNamespace) and any(map(callable, vars(value).values())):
        return "..."
    text = shown(value) if isinstance(value, pl.DataFrame | dict | np.ndarray) else repr(value)
    return re.sub(r" at 0x\w+|<function (\S+) at \w+>", r"\1", text)


def spied(monkeypatch, folder: Path, command: str) -> list[str]:
    """Results of what would take long; the list is given how it was called."""
    calls: list[str] = []

    def recorded(name, value):
        def made(*args, **options):
            words = [told(item) for item in args]
            words += [f"{key}={told(item)}" for key, item in options.items()]
            calls.append(f"> {name}({', '.join(words)})\n")
            return value(*args) if callable(value) else value

        return made

    def gives(target, **values):
        for name, value in values.items():
            change = monkeypatch.setitem if isinstance(target, dict) else monkeypatch.setattr
            change(target, name, recorded(name, value))

    gives(datasets, at_hand=True)
    gives(runs, execute_with=None, execute=["a page", "another"])
    left = {"lin-1": Residual(0.31, 0.02, 7), "knn-cv-1": Residual(0.22, 0.03, 7)}
    gives(bands, _residuals=left)
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
    changes = [
        {},
        {"provenance": "numpy", "detail": "words"},
        {"detail": "a word", "cases_apart": None, "loss": None},
    ]
    rows = [line | {"instance": at, "state": states[at]} | more for at, more in enumerate(changes)]
    counts = dict.fromkeys(states, 1)
    gives(runs_commands.difference, differences=pl.DataFrame(rows), counts=counts)
    gives(runs_commands.difference.Side, read=None)
    records = pl.DataFrame(
        {
            "task": [TASK, TASK, OTHER, TASK],
            "method": ["m", "n", "n", "n"],
            "status": ["ok", "ok", "failed", "ok"],
            "seconds": [1.0, 2.0, 4.0, 8.0],
        }
    )
    checks = [
        ("file", "a", True, "good"),
        ("file", "b", False, "bad"),
        ("run", "c", None, "no data"),
    ]
    report = [
        dict(zip(("kind", "name", "ok", "verdict"), row, strict=True)) | {"detail": "d"}
        for row in checks
    ]
    store = SimpleNamespace(records=lambda: records, pairs=lambda: [1], verify=0, publish=0)
    gives(store, verify=pl.DataFrame(report), publish=None)
    gives(studies, Archive=store, publishing_path="where it is published")
    shares = pl.DataFrame({"method": "m", "bound": ["x", "y"], "share": [0.1, 0.6]})
    gives(archive.active_bounds, active=shares)
    table = {"task": [TASK], "method": ["m"], "to_run": [3], "there": [1], "failed_before": [2]}
    failed = [(RunKey("m", TASK, 0), "no"), (RunKey("m", TASK, 1), "no")]
    summary = Summary("today", folder, kept_failed=failed, missing={"d/t": "gone"})
    summary = replace(summary, left=3, kept=[RunKey("m", TASK, 2)], not_applicable=[("m", "e/t")])
    outlook = SimpleNamespace(
        table=pl.DataFrame(table | {"seconds_each": [40.0]}),
        summary=summary, seconds=120.0, workers=3, unknown=1, as_dict=lambda: {"left": 3},
    )  # fmt: skip
    gives(studies, outlook=outlook, run=summary)
    tiers = {"training_cases": [64, 64, 1024], "tier": [1, 2, 1], "method": ["a", "b", "a"]}
    tiers |= {
        "mean": [0.5, 0.6, 0.4],
        "standard_error": [0.01, 0.02, 0.03],
        "ties": ["a", "b", "a"],
    }
    tiers = pl.DataFrame(tiers | {"seconds": [0.123, 4.56, 7.0]})
    asked = SimpleNamespace(code="S", tasks={64: ("x", "y"), 1024: ("x",)})

    def ask(mine, *rest):
        return SimpleNamespace(**vars(asked), plan="plan" if mine else None)

    gives(today.page, ask=ask, tiers_found=(tiers, {"c": 2}), save=None)
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
    gives(simulations.coverages, continued=pl.DataFrame(truths))
    gives(simulations.two_truths, continued=pl.DataFrame(truths[:1]))
    facts = pl.DataFrame(
        {"part": ["x", "x", "y"], "model": "mlp", "scheme": "k", "diagnostics": "{}", "mean": 0.5}
    )
    gives(simulations.arm_example, continued=(facts, facts), longer=facts[:1])
    gives(simulations.forest_example, continued=(facts, facts), longer=facts[:1])
    gives(simulations.concrete_example, continued=facts, longer=facts[:1])
    of_the_book(gives, folder)
    if "spied.db" in command or "https:" in command:
        of_a_server(gives)
    if "--out loo" in command:
        drawn = ("k_hat_chart", "mass_curves", "mass_chart", "effective_chart", "save")
        gives(charts, **{name: name for name in drawn})
    if "/cv/" in command:
        of_folds(gives)
    if "tasks new spied" in command:
        made = {"path": "kin-8nm-sim/dist", "target": "y", "kind": "real", "inputs": ("a", "b")}
        gives(user, declare=SimpleNamespace(**made))
    return calls


def of_folds(gives) -> None:
    """Expected utilities by folds."""
    table = pl.DataFrame({"method": ["a", "b"], "expected": [0.1, 0.2], "low": [0.0, 0.1]})
    table = table.with_columns(high=0.33333, corrected=0.12, training=0.05, correction=0.02)
    pairs = [{"method": "a", "than": "b", "probability": 0.987}]
    estimate = SimpleNamespace(
        task="concrete/cv/random-10", cases=30, question=densities.question("rmse"),
        weighting="weights per case, 30", table=lambda: table, largely_corrected=["b"],
        verdicts=lambda: pl.DataFrame(pairs), shortfalls=lambda: {"b": "R-hat 1.2"}, turned=[],
        pairs=lambda corrected=False: pl.DataFrame(pairs).with_columns(corrected=corrected),
        warnings=["The correction of b is large."], distributions={"a": 1, "b": 2},
    )  # fmt: skip
    gives(assess.cross_validation, expected=estimate)


def of_the_book(gives, folder: Path) -> None:
    """What is made from the book, or by a browser."""
    page = SimpleNamespace(describe=lambda: {"slug": "a", "profile": "quick", "title": "of a"})
    exercises = [{"chapter": part, "level": "easy", "title": f"of {part}"} for part in "ab"]
    gives(book, build_book=None, ensure_free=None, listed=exercises)
    gives(book.runs, manifest=[page])
    gives(book.found, write=[folder / "a.ipynb", folder / "b.ipynb"])
    gives(book.glue_names, where=[{"page": "a.md", "line": 3, "name": "x"}])
    made = {"write": lambda folder, *rest: [folder / "week" / "a.html"], "serve": None}
    gives(book.decks, of_book=("c1", "c2"), **made)
    gives(book.printed, write=folder / "b.pdf")


def of_a_server(gives) -> None:
    """A server of challenges, and one that is asked: with ``--database spied.db`` and at ``https://host``."""
    import uvicorn

    from benchbook_book.course.challenge import client
    from benchbook_book.course.server import app as served
    from benchbook_book.course.server import backup, holding, moderation, views

    store = SimpleNamespace(
        reading=lambda: nullcontext("session"), writing=lambda: nullcontext("session")
    )
    gives(challenge_server, open_store=store, ensure_free=None)
    gives(participants, open_store=store)
    gives(uvicorn, run=None)
    gives(served, application="application")
    gives(holding, first_organiser="secret", renew_organiser=("ann", "secret"), changed=None)
    gives(holding, invite=[("ann", "secret")], renew=[("ann", "other")])
    gives(holding, open_challenge="challenge", named="challenge")
    gives(backup, export_folder=["e/a.csv", "e/b.csv"], backup=7, restore=8)
    gives(moderation, people=[{"number": 1, "name": "ann"}], find="someone")
    gives(moderation, rename="rename: done", withdraw="withdraw: done")
    gives(moderation.ACTIONS, remove="remove: done", shut="shut: done")
    view = {"name": "fuel", "phase": "open", "opens": "1", "switches": "2", "closes": "3"}
    gives(views, challenge_view=view | {"per_day": 5, "in_test": 0})
    tasks = [{"task": "a/test", "told": False}, {"task": "b/test", "told": True, "gain": "0.1"}]
    tasks[1] |= {"losses": {"NLPD": "1 ± 2", "CRPS": "3"}, "units": {"NLPD": "nats", "CRPS": "l"}}
    tasks[1] |= {"ranking": "NLPD"}
    fault = {"where": "p.csv", "found": "x", "rule": "a number"}
    state = {"status": "failed", "note": "late", "shown": [fault], "tasks": tasks}
    gives(client, submit=state, token="secret")


def paragraphs(page: Path) -> str:
    """The sentences of a page, without tables, charts, times and versions."""
    bare = re.sub(
        r"<(style|svg|table|script).*?</\1>", "", page.read_text(encoding="utf8"), flags=re.S
    )
    plain = " ".join(re.sub(r"<[^>]+>", " ", bare).split())
    told = "".join(f"p: {line}\n" for line in re.split(r"(?<=[.;:]) ", plain))
    return re.sub(r"\d+([.]\d+)+([a-z]+\d+)?(?=[,;)])|[\d.]+ s\b|\d{4}-\d\d-\d\d", "N", told)


def files(folder: Path) -> dict[str, int]:
    """When each file below a folder was written."""
    return {
        path.relative_to(folder).as_posix(): path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.is_file()
    }


def written(file: tuple[str, int]) -> str:
    """A file by its name; of tables and of text how they begin."""
    path = Path(file[0])
    if path.suffix == ".parquet":
        frame = pl.read_parquet(path)
        return f"+ {path}: {' '.join(map(str, frame.dtypes))} {shown(frame)}\n"
    if path.suffix not in (".csv", ".dt", ".names", ".toml", ".txt", ".md"):
        return f"+ {path}\n"
    lines = path.read_text(encoding="utf8").splitlines(keepends=True)
    some = "".join(lines[:4]) + f"... of {len(lines)} lines\n"
    some = re.sub(
        r"sha256 \w{64}", "sha256 N", some
    )  # of all digits, which another processor rounds otherwise
    return f"+ {path}\n" + re.sub(r"-?\d+\.\d+", lambda match: f"{float(match[0]):.5g}", some)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("printed")
    tables(folder)
    submissions(folder)
    return folder


@pytest.mark.parametrize("command", read(FILE), ids=str)
def test_what_a_command_prints(command, place, home, monkeypatch):
    calls = spied(monkeypatch, place, command)
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "100")
    before = files(place)
    result = invoke(shlex.split(command))
    text = NUMBER.sub(lambda match: f"{float(match[0]):.6g}", result.output)
    text += "".join(calls)
    text += "".join(map(written, sorted(files(place).items() - before.items())))
    text = re.sub(r'(?<=[.]py:)\d+|(?<="line": )\d+|(?<=See all )\d+', "N", text)
    if command.startswith("compare t"):  # the last column has the seconds of a fit
        text = re.sub(r"  +(?:fit|-+|–|[\d.]+ s)$", "", text, flags=re.M)
        text += paragraphs(place / "page.html") if "--page" in command else ""
    for folder, word in (
        (place, "HERE"),
        (home, "HOME"),
        (home.parent, "NEAR"),
        (ROOT, "CHECKOUT"),
    ):
        text = text.replace(str(folder), word)
    apart = len(result.stderr.splitlines()) if result.stdout or not result.exit_code else 0
    text += f"[{result.exit_code}]{f' {apart} on standard error' if apart else ''}\n"
    held(FILE, command, text)
