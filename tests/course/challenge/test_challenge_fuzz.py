"""Whatever bytes come, a submission is valid or told to be faulty, quickly; what is written comes back as it was."""

import io
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from benchbook.predictive import Categorical, Gaussian, Quantiles
from benchbook.seeds import generator
from benchbook_book.course import challenge
from benchbook_book.course.challenge import Asked, Key, Offer, Organiser, SubmissionLimits

PREDICTIONS = [
    {"task": "fuel/test", "file": "a.txt", "kind": "gaussian"},
    {"task": "fuel/validation", "file": "b.csv", "kind": "quantiles"},
    {"task": "ill/test", "file": "c.txt", "kind": "probability"},
    {"task": "fuel/test-before", "file": "d.txt", "kind": "quantiles"},
]
PIECES = (
    b"nan",
    b"-inf",
    b"1e999",
    b"\0",
    b"\xff\xfe",
    b"[[",
    b'"',
    b"\n",
    b"\r",
    b",",
    b"#",
    b"0x",
    b"-",
    b"..",
    b"/",
    b"{",
    b"1_0",
    b" ",
    b"0",
    b"7",
)


def change(raw, rng):
    """One or two small changes of a file: another byte, a piece lost, doubled, put in, or the end cut off."""
    raw = bytearray(raw)
    for _ in range(int(rng.integers(1, 3))):
        index, length = int(rng.integers(0, len(raw) + 1)), int(rng.integers(1, 40))
        kind = rng.integers(0, 5)
        if kind == 0:
            raw[index : index + 1] = bytes([int(rng.integers(0, 256))])
        elif kind == 1:
            del raw[index : index + length]
        elif kind == 2:
            raw[index:index] = raw[index : index + length]
        elif kind == 3:
            raw[index:index] = PIECES[int(rng.integers(0, len(PIECES)))]
        elif length < 4:
            del raw[index:]
    return bytes(raw)


def test_changed_submissions_are_valid_or_faulty_and_never_worse(sent):
    files = {
        "manifest.toml": sent.manifest(*PREDICTIONS).encode(),
        "a.txt": "\n".join(f"{case} 1.5 2.25" for case in sent.cases()).encode(),
        "b.csv": b"case,0.1,0.5,0.9\n" + b"".join(f"v{i},1,2,3.5e0\n".encode() for i in range(4)),
        "c.txt": b"0.25 # as always\n" * 8,
        "d.txt": b"0.1 0.5 0.9 1 2 3\n" * 8,
    }
    rng, valid, faulty, slowest = generator(1, "changed submissions"), 0, 0, 0.0
    for turn in range(200):
        name = list(files)[turn % len(files)]
        changed = files | {name: change(files[name], rng)}
        path = sent.folder
        for file, content in changed.items():
            sent.put(file, content)
        if turn % 3 == 0:
            packed = io.BytesIO()
            with zipfile.ZipFile(
                packed, "w", zipfile.ZIP_DEFLATED if turn % 2 else zipfile.ZIP_STORED
            ) as archive:
                for file, content in files.items():
                    archive.writestr(file, content)
            path = sent.put("../changed.zip", change(packed.getvalue(), rng))
        begun = time.perf_counter()
        submission, report = sent.check(path)
        slowest = max(slowest, time.perf_counter() - begun)
        assert (submission is None) == (report.total > 0) == (not report.good)
        valid, faulty = valid + report.good, faulty + (not report.good)
    assert valid >= 5
    assert faulty >= 60
    assert slowest < 5


@settings(max_examples=100, deadline=None)
@given(
    text=st.text(st.characters(codec="utf-8"), max_size=60) | st.binary(max_size=60),
    ending=st.sampled_from(["txt", "csv"]),
    kind=st.sampled_from(["gaussian", "quantiles"]),
)
def test_any_text_is_told_and_not_raised(text, ending, kind):
    requested = Asked("t/test", "real", ("1", "2"))
    organiser = Organiser(
        {"t/test": Offer("real", 2, lambda: Key(requested, np.zeros(2), np.arange(3.0)))}
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "manifest.toml").write_text(
            'format = "benchbook.submission/1"\nname = "a"\nteam = "b"\nmethod = "c"\n[[prediction]]\ntask = "t/test"\n'
            f'file = "p.{ending}"\nkind = "{kind}"\n'
        )
        Path(folder, f"p.{ending}").write_bytes(text if isinstance(text, bytes) else text.encode())
        _, report = challenge.check(folder, organiser, SubmissionLimits(line=50))
    assert "\x1b" not in "".join(report.lines())


NUMBERS = st.floats(-1e90, 1e90).map(
    lambda x: x if abs(x) > 1e-90 else 0.0
)  # apart by more than the rules ask


@settings(max_examples=30, deadline=None)
@given(
    values=st.lists(NUMBERS, min_size=8, max_size=8),
    scale=st.floats(1e-90, 1e90),
    chances=st.lists(st.floats(0, 1), min_size=8, max_size=8),
    form=st.sampled_from(["txt", "csv"]),
)
def test_what_is_written_comes_back(values, scale, chances, form):
    cases = tuple(f"c{i}" for i in range(8))
    steps = np.array(sorted({*values, -1e91, 1e91}))
    own = np.linspace(0.1, 0.9, steps.size) * np.linspace(0.5, 1, 8)[:, None]
    given_all = {
        "r/test": ("real", Gaussian(values, np.full(8, scale))),
        "q/test": ("real", Quantiles(own[0], np.tile(steps, (8, 1)))),
        "o/test": ("real", Quantiles(own, np.tile(steps, (8, 1)))),
        "c/test": ("class", Categorical(np.column_stack([1 - np.array(chances), chances]))),
    }
    requested = {task: Asked(task, kind, cases) for task, (kind, _) in given_all.items()}
    organiser = Organiser(
        {
            task: Offer(
                kind, 8, lambda task=task: Key(requested[task], np.zeros(8), np.arange(3.0))
            )
            for task, (kind, _) in given_all.items()
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        predictions = [(requested[task], pred) for task, (_, pred) in given_all.items()]
        challenge.write(folder, "a", "b", 'says "c" \\ and\td', predictions, form)
        submission, report = challenge.check(folder, organiser)
    assert report.good, report.lines()
    for entry in submission.entries:
        for name, array in given_all[entry.task][1].parameters.items():
            if name == "probability":
                assert np.array_equal(array[:, 1], entry.prediction.probability[:, 1])
            else:
                assert np.array_equal(array, entry.prediction.parameters[name]), (entry.task, name)
