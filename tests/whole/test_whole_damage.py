"""A thousand flips and cuts over every kind of file that is written: no number changes in silence, and no error is one
that is not ours. A hundred kills at random moments: nothing that was there is lost."""

import os
import shutil
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import Ridge

import benchbook
from benchbook import datasets, studies, tasks
from benchbook.archive import store
from benchbook.comparison import cache as caches
from benchbook.datasets.user import places
from benchbook.errors import BenchbookError
from benchbook.files import remove_unfinished
from benchbook.predictive import Gaussian
from benchbook.seeds import generator
from benchbook.tasks import registry as task_registry
from benchbook.tasks.user import Table, TableRequest, keep, propose
from benchbook.tasks.user.writing import forget
from benchbook_book.course.challenge import checking, targets, writing
from benchbook_book.course.server import backup, holding
from benchbook_book.course.server.store import Store

DAMAGES, KILLS = 1000, 100
ROWS = np.arange(40)
X = generator(1, "damage").normal(size=(40, 2))
TASK = "kin-8nm-sim/dist/std.64"


def frames(comparison):
    fits = comparison.fits
    rows = [(split.train.tolist(), split.test.tolist()) for split in comparison.plan.splits]
    every = (
        comparison.losses,
        fits.fold_losses,
        comparison.predictions,
        fits.times,
        comparison.pairs,
    )
    return repr(comparison), rows, comparison.data.y.tolist(), [frame.rows() for frame in every]


def saved(folder):
    of = benchbook.compare(
        {"ridge": Ridge()}, X, X[:, 0], design=3, effort="quick", cache=False, groups=ROWS // 2
    ).save(folder / "saved")
    return lambda: frames(benchbook.Comparison.load(of))


def in_hand(folder):
    results = pl.DataFrame({"item": ROWS, "a": X[:, 0] ** 2, "b": X[:, 1] ** 2})
    of = benchbook.compare_results(results, item="item", higher_is_better=False).save(
        folder / "hand"
    )
    return lambda: frames(benchbook.Comparison.load(of))


def cached(folder):
    """Of a cache, what cannot be read is as good as not there."""
    arrays = {"point": X[:, 0], "probability": abs(X) / abs(X).sum(axis=1, keepdims=True)}
    for key in ("a", "b"):
        made = caches.Prediction(9, **arrays, distribution=Gaussian(X[:, 0], X[:, 1] ** 2 + 1))
        caches.store(folder).put(key, made)

    def answer():
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = [caches.store(folder).get(key) for key in ("a", "b")]
        if said:
            assert None in found
            raise BenchbookError(str(said[0].message))
        return [
            (item.point.tolist(), item.probability.tolist(), item.trained, repr(item))
            for item in found
        ]

    return answer


def runs(folder):
    plan = studies.Plan("trial", 1, ["lin-1", "base-1"], [TASK], instances=1, losses=["S"])
    studies.run(plan, folder, workers=1, progress=False, keep_predictions=True)
    archive = studies.Archive(folder)
    archive.publish(folder, methods="base-1")
    store.run_path(folder, studies.RunKey("base-1", TASK, 0)).unlink()

    def answer():
        store._read_prediction.cache_clear()
        records = archive.records()
        predicted = [archive.prediction(record) for record in records.to_dicts()]
        return (
            records.rows(),
            archive.losses().rows(),
            [
                item and {name: array.tolist() for name, array in item.parameters.items()}
                for item in predicted
            ],
        )

    return answer


def dataset(folder):
    values = generator(1, "damage of data").normal(size=(80, 3))
    frame = pl.DataFrame(values, schema=["a", "b", "y"])
    shelf = folder / "datasets"
    keep(propose(Table("mine.csv", frame, 2), TableRequest("y", "damaged")), shelf)

    def answer():
        forget()
        datasets.load("damaged")
        names = tasks.available("damaged/*")
        if not names:
            raise BenchbookError(
                "; ".join(map(str, task_registry.declared().faulty.values())) or "damaged"
            )
        return names, [tasks.instance(name, 0).digest for name in names]

    return answer


def challenge(folder):
    lines = [
        (f"c{row}", phase, float(row))
        for phase in ("training", "validation", "test")
        for row in ROWS[:12]
    ]
    lines = [(f"{phase[:2]}{case}", phase, value) for case, phase, value in lines]
    targets.write(folder / "hidden.csv", {"task": "fuel", "kind": "real", "resolution": 1}, lines)
    organiser = targets.read(folder / "hidden.csv")
    predictions = [
        (requested, Gaussian(np.arange(len(requested.cases)) * 1.0, np.ones(len(requested.cases))))
        for requested in map(organiser.asked, organiser)
    ]
    for form in ("txt", "csv"):
        writing.write(folder / form, "mine", "we", "guessing", predictions, form)

    known = {}

    def entry(form, hidden):
        """Each state is read once. Parquet, which a process of its own reads, has the same sum in the manifest."""
        state = form, *(path.read_bytes() for path in sorted((folder / form).iterdir()))
        if state not in known:
            item = checking.read(folder / form, hidden)
            known[state] = (
                item.name,
                item.team,
                [
                    (entry.task, {n: a.tolist() for n, a in entry.prediction.parameters.items()})
                    for entry in item.entries
                ],
            )
        return known[state]

    def answer():
        hidden = targets.read(folder / "hidden.csv")
        table = repr(targets.read_table(folder / "hidden.csv"))
        return table, [entry(form, hidden) for form in ("txt", "csv")]

    return answer


def backed_up(folder):
    table = "# task = flats\n# kind = real\n# resolution = 1\ncase,phase,target,x\n" + "".join(
        f"{phase[:2]}{row},{phase},{row},{row}\n"
        for phase in ("training", "validation", "test")
        for row in range(8)
    )
    elsewhere = folder.with_name(f"{folder.name}-aside")
    elsewhere.mkdir()
    (elsewhere / "hidden.csv").write_text(table)
    full = Store(str(elsewhere / "full.sqlite"))
    full.upgrade()
    with full.writing() as session:
        holding.invite(session, ["Ada", "Ben"])
        holding.open_challenge(session, "flats", table.encode(), {"opens": "now", "title": "Flats"})
    backup.backup(full, folder / "backup.zip")
    empty = Store(str(elsewhere / "empty.sqlite"))
    empty.upgrade()
    empty.close()

    def answer():
        shutil.copy(elsewhere / "empty.sqlite", elsewhere / "restored.sqlite")
        restored = Store(str(elsewhere / "restored.sqlite"))
        try:
            backup.restore(restored, folder / "backup.zip", [elsewhere / "hidden.csv"])
            with restored.reading() as session:
                return [
                    sorted(backup._row(item).items())
                    for model in backup._PARTS.values()
                    for item in session.scalars(backup.select(model).order_by(model.id))
                ]
        finally:
            restored.close()

    return answer


KINDS = {
    "saved comparison": saved,
    "results in hand": in_hand,
    "cache": cached,
    "store": runs,
    "dataset": dataset,
    "challenge": challenge,
    "backup": backed_up,
}


def damaged(content, rng):
    """The content with a bit turned, or without its end."""
    place = int(rng.integers(len(content)))
    if rng.random() < 0.3:
        return content[:place]
    changed = bytearray(content)
    changed[place] ^= 1 << int(rng.integers(8))
    return bytes(changed)


@pytest.mark.parametrize("kind", KINDS)
def test_no_number_changes_in_silence_and_every_error_is_ours(kind, tmp_path, monkeypatch):
    monkeypatch.setenv(places.HOME_VARIABLE, str(tmp_path))
    folder = tmp_path if kind == "dataset" else tmp_path / "of"
    folder.mkdir(exist_ok=True)
    answer = KINDS[kind](folder)
    before, rng, told = answer(), generator(1, "damage", kind), 0
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for _ in range(DAMAGES // len(KINDS) + 1):
        path = files[int(rng.integers(len(files)))]
        content = path.read_bytes()
        path.write_bytes(damaged(content, rng))
        try:
            now = answer()
        except BenchbookError:
            told += 1
        else:
            assert now == before, f"{path} changed something in silence"
        path.write_bytes(content)
    assert answer() == before
    assert told > DAMAGES / len(KINDS) / 3


# What takes long is to import, so that each writer is a fork.
FORKING = """
import os, sys
from itertools import count
from pathlib import Path
import numpy as np
import polars as pl
import benchbook
from benchbook.archive.records import RunKey, RunResult, blank_record
from benchbook.comparison import cache
from benchbook.predictive import Gaussian
from benchbook.studies import Archive
from benchbook.tasks.user import Table, TableRequest, keep, propose

folder = Path(sys.argv[1])

def save():
    saved = benchbook.Comparison.load(folder / "saved")
    return lambda number: saved.save(folder / "saved")

def add():
    frame = pl.DataFrame(np.random.default_rng(1).normal(size=(80, 3)), schema=["a", "b", "y"])
    proposal = propose(Table("mine.csv", frame, 2), TableRequest("y", "killed"))
    return lambda number: keep(proposal, folder / "datasets", replace=True)

def put():
    store = cache.store(folder / "cache")
    return lambda number: store.put("k", cache.Prediction(9, point=np.arange(9.0)))

def run(number):
    pred = Gaussian(np.arange(64.0), np.ones(64) + number)
    key = RunKey("invented", "kin-8nm-sim/dist/std.64", number % 3)
    record = blank_record(key, number, "trial") | {"status": "ok", "asked": "A"}
    Archive(folder / "runs").write(RunResult(record, {"A": np.arange(64.0)}, np.arange(64), pred), True)

for line in sys.stdin:
    if (child := os.fork()) == 0:
        write = [save, add, put, lambda: run][int(line)]()
        write(0)
        print(os.getpid(), flush=True)
        for number in count(1):
            write(number)
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it has no fork")
def test_a_hundred_kills_lose_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv(places.HOME_VARIABLE, str(tmp_path))
    compared = saved(tmp_path)
    before, rng, complete, added = compared(), generator(1, "kills"), 0, False
    writers = subprocess.Popen(
        [sys.executable, "-c", FORKING, str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
    )  # fmt: skip
    try:
        for number in range(KILLS):
            writers.stdin.write(f"{number % 4}\n")
            child = int(writers.stdout.readline())
            time.sleep(rng.uniform(0, 0.2))
            os.kill(child, signal.SIGKILL)
            assert compared() == before, number
            added = added or "killed" in places.folders()
            if added:
                forget()
                datasets.load("killed")
            archive = studies.Archive(tmp_path / "runs")
            for record in archive.records().to_dicts():
                complete += 1
                found = archive.prediction(record)
                assert found is None or found.parameters["variance"][0] == 1 + record["seed"]
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                kept = caches.store(tmp_path / "cache").get("k")
            assert kept is None or kept.point.tolist() == list(range(9))
    finally:
        writers.stdin.close()
        writers.wait(10)
        writers.stdout.close()
    assert complete
    assert added
    remove_unfinished(tmp_path / "runs")
    assert not list((tmp_path / "runs").rglob("*.part"))
