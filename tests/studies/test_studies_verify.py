"""Verifying an archive: sound ones pass, and every kind of damage is caught."""

import pickle
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from benchbook.archive import records, verify
from benchbook.archive.compact_files import cases_path, file_entry, packed_path
from benchbook.archive.quantization import planes_to_whole, whole_to_planes
from benchbook.archive.records import RunResult
from benchbook.archive.store import run_path, write_parquet
from benchbook.methods import extras
from benchbook.methods.base import FunctionMethod
from benchbook.studies import Archive, RunKey, run_one

PROTOTASK, TASK = "kin-8nm-sim/dist", "kin-8nm-sim/dist/std.64"


@pytest.fixture(autouse=True)
def narrower(monkeypatch):
    """As on a processor without AVX-512; what is put in here is tried."""
    environments = {}
    monkeypatch.setattr(verify, "narrower", lambda: environments)
    return environments


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Real runs in the run store."""
    archive = Archive(tmp_path_factory.mktemp("sound"))
    for method in ("base-1", "lin-1"):
        for number in range(3):
            archive.write(run_one(RunKey(method, TASK, number), 1, "trial"))
    return archive


@pytest.fixture
def public(sound, tmp_path):
    """The same, published."""
    archive = Archive(tmp_path / "public")
    archive.publish(sound)
    return archive


def verdicts(archive, kind, **options):
    return (
        archive.verify(run_one, progress=False, **options)
        .filter(kind=kind)
        .select("verdict", "ok")
        .rows()
    )


def edit(archive, change):
    """Change the packed runs of lin-1, with a manifest and an index that have no fault."""
    import json

    path = packed_path(archive.path, PROTOTASK, "lin-1")
    write_parquet(change(pl.read_parquet(path)), path)
    manifest = archive.manifest()
    manifest["files"][f"{PROTOTASK}/lin-1.parquet"] = file_entry(path)
    (archive.path / "manifest.json").write_text(json.dumps(manifest))
    archive.publish(archive.path / "nothing")


def shifted_by_one_step(frame):
    """Shift the last loss of the last case of instance 1 by one step, which is the least that can be changed."""
    rows = frame.to_dicts()
    last = rows[1]["code"].index("L")
    whole = planes_to_whole(rows[1]["low"][last], rows[1]["high"][last])
    whole[-1] += 1
    rows[1]["low"][last], rows[1]["high"][last] = whole_to_planes(whole)
    return pl.DataFrame(rows, schema=frame.schema)


def test_a_sound_archive_passes_in_both_layers(sound, public):
    assert verdicts(sound, "run", sample=None) == [("the same", True)] * 6
    assert verdicts(public, "run", sample=None) == [("the same", True)] * 6
    assert verdicts(public, "file") == [("intact", True)] * 4


def test_a_sample_is_drawn_from_the_generator(public):
    def names(seed):
        return (
            public.verify(run_one, 2, np.random.default_rng(seed), progress=False)
            .filter(kind="run")["name"]
            .to_list()
        )

    assert len(names(1)) == 2
    assert names(1) == names(1)
    assert len({tuple(names(seed)) for seed in range(8)}) > 1


def test_runs_that_failed_are_not_drawn(tmp_path, made):
    """Every draw is of a run that has losses to compare; a sample of one would else find nothing now and then."""
    archive = Archive(tmp_path)
    archive.write(run_one(RunKey("base-1", TASK, 0), 1, "trial"))
    for number in range(1, 6):
        blank = records.blank_record(RunKey("base-1", TASK, number), 1, "trial")
        archive.write(RunResult(blank | {"status": "failed", "error": "it was stopped"}))
    for seed in range(4):
        rng = np.random.default_rng(seed)
        report = archive.verify(run_one, 1, rng, progress=False).filter(kind="run")
        assert report.select("name", "verdict").rows() == [(f"base-1 on {TASK}#0", "the same")]


def test_a_file_that_was_altered_or_is_gone_or_was_added_is_told(public):
    path = packed_path(public.path, PROTOTASK, "lin-1")
    write_parquet(shifted_by_one_step(pl.read_parquet(path)), path)
    cases_path(public.path, PROTOTASK).unlink()
    write_parquet(pl.read_parquet(path), packed_path(public.path, PROTOTASK, "added"))
    report = public.verify(run_one, 0, progress=False)
    results = {row["name"]: (row["verdict"], row["ok"]) for row in report.to_dicts()}
    assert results[f"{PROTOTASK}/lin-1.parquet"] == ("altered", False)
    assert results[f"{PROTOTASK}+cases.parquet"] == ("missing", False)
    assert results[f"{PROTOTASK}/added.parquet"] == ("not listed", False)
    assert results[f"{PROTOTASK}/base-1.parquet"] == ("intact", True)


def test_an_index_that_is_altered_gone_or_out_of_date_is_told(public):
    path = public.path / "records.parquet"
    content = path.read_bytes()
    for damage in (lambda: path.write_bytes(content[:-9]), path.unlink):
        damage()
        report = public.verify(run_one, 0, progress=False)
        assert report.filter(~pl.col("ok")).select("name", "verdict").rows() == [
            ("records.parquet", "not used")
        ]
    public.publish(public.path / "nothing")
    assert path.read_bytes() == content
    assert public.verify(run_one, 0, progress=False)["ok"].all()


def test_another_compression_is_told_from_another_content(public):
    path = packed_path(public.path, PROTOTASK, "lin-1")
    write_parquet(pl.read_parquet(path), path, level=1)
    line = (
        public.verify(run_one, 0, progress=False)
        .filter(name=f"{PROTOTASK}/lin-1.parquet")
        .row(0, named=True)
    )
    assert (line["verdict"], line["detail"]) == ("altered", "only its compression differs")


def test_one_value_changed_by_one_step_is_caught_by_running_again(public):
    edit(public, shifted_by_one_step)
    report = public.verify(run_one, None, progress=False)
    assert report.filter(kind="file")["ok"].all()
    wrong = report.filter(~pl.col("ok"))
    assert wrong["name"].to_list() == [f"lin-1 on {TASK}#1"]
    assert "loss L of 1 of 512 cases" in wrong["detail"][0]


def test_one_value_changed_in_the_run_store_is_caught(sound, tmp_path):
    archive = Archive(tmp_path / "copy")
    result = run_one(RunKey("lin-1", TASK, 0), 1, "trial")
    result.losses["S"][5] *= 1.001
    archive.write(result)
    report = archive.verify(run_one, progress=False)
    assert report["verdict"].to_list() == ["different"]
    assert f"case {result.case_ids[5]}" in report["detail"][0]


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("cpu", "an abacus", "made on an abacus, here is "),
        ("libraries", '{"numpy": "0.1"}', "made with numpy 0.1"),
    ],
)
def test_a_run_from_another_machine_that_differs_is_left_open(public, column, value, said):
    edit(public, lambda frame: shifted_by_one_step(frame).with_columns(pl.lit(value).alias(column)))
    report = public.verify(run_one, None, progress=False).filter(kind="run")
    differing = report.filter(verdict="different, made elsewhere")
    assert differing["ok"].to_list() == [None]
    assert said in differing["detail"][0]
    assert "mean of loss L: archived" in differing["detail"][0]
    assert report["ok"].drop_nulls().to_list() == [True] * 5


def test_a_run_that_comes_out_with_other_instructions_of_the_processor_is_the_same(
    public, narrower, monkeypatch
):
    answers, asked = {"blas": ["different", False, "x"], "all": ["the same", True, ""]}, []

    def returned(what, function, *arguments, environment):
        asked.append(arguments)
        return answers[environment["WITHOUT"]]

    monkeypatch.setattr(verify.apart, "returned", returned)
    edit(public, shifted_by_one_step)
    narrower |= {"with kernels": {"WITHOUT": "blas"}}
    wrong = public.verify(run_one, None, progress=False).filter(kind="run", ok=False)
    assert wrong["verdict"].to_list() == ["different"]
    narrower |= {"without AVX-512": {"WITHOUT": "all"}}
    report = public.verify(run_one, None, progress=False).filter(kind="run")
    assert report["verdict"].to_list() == ["the same"] * 6
    assert report.filter(detail="without AVX-512")["name"].to_list() == [f"lin-1 on {TASK}#1"]
    assert [stored.key for stored, _ in asked] == [RunKey("lin-1", TASK, 1)] * 3


def test_a_stored_run_can_be_judged_in_another_process(public):
    stored = verify.stored_run(public, RunKey("lin-1", TASK, 1))
    assert verify._judged(*pickle.loads(pickle.dumps((stored, run_one)))) == ("the same", True, "")


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({}, ("the same", True, "")),
        ({"identity": "x"}, ("the same", True, "the method's file has changed since")),
        (
            {"first": 2.0},
            ("different", False, "loss S of 1 of 3 cases; case 7: archived 2, now 1"),
        ),
        (
            {"first": 2.0, "cpu": "other", "identity": "x"},
            (
                "different, made elsewhere",
                None,
                "made on other, here is cpu; mean of loss S: archived 2.33333, now 2; the method's "
                "file has changed since",
            ),
        ),
        (
            {"first": 2.0, "libraries": '{"a": "1", "b": "2"}'},
            (
                "different, made elsewhere",
                None,
                "made with b 2; mean of loss S: archived 2.33333, now 2",
            ),
        ),
        ({"cases": [7, 8, 10]}, ("different", False, "the test cases are not the same")),
        ({"code": "A"}, ("different", False, "losses ['S'], archived ['A']")),
    ],
)
def test_the_verdict_on_a_run_that_was_made_again(monkeypatch, change, verdict):
    record = {
        "method": "lin-1",
        "task": "t",
        "instance": 0,
        "status": "ok",
        "identity": "text",
        "cpu": "cpu",
        "libraries": '{"a": "1", "b": "3"}',
    }
    monkeypatch.setattr(verify.methods, "identity", lambda name: "text")
    monkeypatch.setattr(verify, "narrower", dict)
    values, code = np.array([change.get("first", 1.0), 2.0, 3.0]), change.get("code", "S")
    kept = record | {name: value for name, value in change.items() if name in record}
    cases = np.array(change.get("cases", [7, 8, 9]))
    stored = verify.Stored(kept, cases, {code: values}, {code: np.zeros(3)})
    again = RunResult(record, {"S": np.array([1.0, 2.0, 3.0])}, np.array([7, 8, 9]))
    assert verify._compared(stored, again) == verdict


@pytest.mark.parametrize(
    ("archived", "new", "rounded", "off"),
    [
        (1.0 + 2.9e-6, 1.0, 0.0, False),
        (1.0 + 3.1e-6, 1.0, 0.0, True),
        (1.0 + 3.1e-6, 1.0, 1e-6, False),
        (np.inf, np.inf, 0.0, False),
        (1.0, np.inf, 0.0, False),
        (np.inf, 1.0, 0.0, True),
        (np.nan, 1.0, 0.0, True),
    ],
)
def test_how_far_a_loss_may_be_off(archived, new, rounded, off):
    """By a millionth of itself and of the mean of those that are finite, here two where it is 1, and by rounding."""
    given = ([archived, 3.0], [new, 3.0], [rounded, 0.0])
    assert verify.off_by(*(np.array(each) for each in given)).tolist() == [off, False]


@pytest.mark.parametrize("tried", [True, False])
def test_a_record_that_tells_the_model_alone_is_of_this_machine_when_all_kinds_were_tried(
    tried, narrower
):
    narrower |= {"without": {}} if tried else {}
    again = {"cpu": f"{records.processor_model()}, AVX9", "libraries": "{}"}
    told = verify._elsewhere({"cpu": records.processor_model(), "libraries": "{}"}, again)
    assert bool(told) is not tried
    assert verify._elsewhere(again, again) == ""


def test_a_task_that_has_changed_since_is_told(public):
    edit(public, lambda frame: frame.with_columns(digest=pl.lit("0" * 64)))
    result = verdicts(public, "run", sample=None)
    assert result.count(("of another task", False)) == 3


def test_a_variant_is_run_again_and_one_whose_setting_is_gone_is_left_open(tmp_path):
    name, archive = "knn-cv-1[most=3]", Archive(tmp_path)
    archive.write(run_one(RunKey(name, TASK, 0), 1, "trial"))
    assert verdicts(archive, "run", sample=None) == [("the same", True)]
    gone = run_path(archive.path, RunKey("knn-cv-1[least=3]", TASK, 0))
    gone.parent.mkdir(parents=True, exist_ok=True)
    write_parquet(
        pl.read_parquet(run_path(archive.path, RunKey(name, TASK, 0))).with_columns(
            method=pl.lit("knn-cv-1[least=3]")
        ),
        gone,
    )
    report = archive.verify(run_one, None, progress=False).filter(
        pl.col("name").str.contains("least")
    )
    assert report.select("verdict", "ok").rows() == [("method unknown", None)]
    assert "there is no such setting" in report["detail"][0]


def test_what_cannot_be_run_here_is_left_open(public):
    edit(
        public,
        lambda frame: frame.with_columns(
            method=pl.when(pl.col("instance") == 0).then(pl.lit("long-gone")).otherwise("method")
        ),
    )
    path = packed_path(public.path, PROTOTASK, "lin-1")
    path.rename(path.with_name("long-gone.parquet"))
    report = public.verify(run_one, None, progress=False).filter(
        pl.col("name").str.starts_with("long-gone")
    )
    assert ("method unknown", None) in report.select("verdict", "ok").rows()


def test_a_damaged_run_is_a_line_of_the_report_and_the_rest_goes_on(tmp_path, made):
    archive = Archive(tmp_path)
    archive.write(run_one(RunKey("base-1", TASK, 0), 1, "trial"))
    archive.publish(archive)
    run_path(archive.path, RunKey("base-1", TASK, 0)).unlink()
    cases_path(archive.path, PROTOTASK).unlink()
    assert ("cannot be read", False) in verdicts(archive, "run")


def test_a_truncated_file_is_reported_and_the_others_are_still_checked(public):
    path = packed_path(public.path, PROTOTASK, "lin-1")
    path.write_bytes(path.read_bytes()[:500])
    report = public.verify(run_one, None, progress=False)
    assert "is damaged" in report.filter(kind="file", verdict="altered")["detail"][0]
    runs = report.filter(kind="run").select("name", "verdict").rows()
    assert (f"lin-1 on {PROTOTASK}", "cannot be read") in runs
    assert runs.count((f"base-1 on {TASK}#0", "the same")) == 1


def test_a_run_whose_library_is_not_here_cannot_be_told(public, monkeypatch):
    def lacking(*_):
        return extras.library("no_such_library", "lin-1")

    monkeypatch.setattr(FunctionMethod, "predict", lacking)
    reported = public.verify(run_one, None, progress=False).filter(
        kind="run", verdict="library not at hand"
    )
    assert reported["ok"].to_list() == [None] * 6
    assert all("no_such_library" in line for line in reported["detail"])


def test_a_run_of_a_task_that_is_no_more_is_no_good_run(public):
    key = RunKey("lin-1", "no-such/task/std.8", 1)
    said, good, detail = verify._judged(SimpleNamespace(key=key), run_one)
    assert (said, good) == ("of an unknown task", False)
    assert detail == f"there is no task {key.task} any more"
