"""What a method cannot do to its own score, and what is said of a score that is too good."""

import os
import pickle
import re
import sys
import time

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from benchbook import methods, studies, tasks
from benchbook.cli import app
from benchbook.errors import BenchbookError
from benchbook.losses import registry
from benchbook.seeds import generator
from benchbook.studies.engine import remark
from benchbook.tasks import Scorer
from benchbook_book.form import records as report_records

TASK = "kin-8nm-sim/dist/std.64"
HONEST = """
import numpy as np
from benchbook.methods import method
from benchbook.predictive import Gaussian

def flat(instance):
    return np.zeros(len(instance.test_inputs)), np.ones(len(instance.test_inputs))

@method(name="mine", source="ours")
def mine(instance, rng):
    \"\"\"Says nothing.\"\"\"
    {act}
    return {answer}
"""
PATCHED = """
from benchbook.tasks import Scorer
Scorer.losses = lambda self, prediction, codes=None: {code: 0.0 * self.targets for code in codes}
"""
SMUGGLED = """
class Program:
    def __reduce__(self):
        return exec, (PATCH,)

class Cost(float):
    __reduce__ = Program.__reduce__

def sent_by_hand(answer):
    frame = __import__("sys")._getframe()
    while "conn" not in frame.f_locals:
        frame = frame.f_back
    frame.f_locals["conn"].send(Program())
    return answer
"""
OVERRIDDEN = """
class Sure(Gaussian):
    __slots__ = ()
    def _log_density(self, y):
        return np.full(len(self), 1e6)
"""


def written(folder, act="pass", answer="Gaussian(*flat(instance))", more=""):
    folder.mkdir()
    file = folder / "mine.py"
    file.write_text(HONEST.format(act=act, answer=answer) + more)
    return f"{file}:mine"


def ran(folder, spec, **options):
    plan = studies.Plan("trial", 1, [spec], [TASK], instances=1)
    summary = studies.run(plan, folder / "runs", workers=1, progress=False, **options)
    return studies.Archive(folder / "runs").losses(), summary


def test_a_file_that_replaces_the_scoring_is_refused_and_the_scoring_stays(tmp_path):
    before = Scorer.losses
    with pytest.raises(BenchbookError, match=r"replaces benchbook\.tasks\.scorer\.Scorer\.losses"):
        methods.get(written(tmp_path / "a", more=PATCHED))
    assert Scorer.losses is before


@pytest.mark.parametrize(
    "change",
    [
        {"act": "exec(PATCH)", "more": f"PATCH = {PATCHED!r}"},
        {"answer": "Sure(*flat(instance))", "more": OVERRIDDEN},
        {
            "answer": "Gaussian(*flat(instance)), {'cost': Cost(1.0)}",
            "more": f"PATCH = {PATCHED!r}{SMUGGLED}",
        },
    ],
)
def test_what_a_method_does_while_it_runs_does_not_reach_its_score(tmp_path, change):
    honest, _ = ran(tmp_path / "honest", written(tmp_path / "honest"))
    other, summary = ran(tmp_path / "other", written(tmp_path / "other", **change))
    assert len(summary.done) == 1
    assert honest.drop("digest").equals(other.drop("digest"))
    assert honest.filter(pl.col("loss") == "S")["value"].mean() > 0


def test_what_a_method_sends_in_place_of_its_answer_is_no_program_but_a_failure(tmp_path):
    before = Scorer.losses
    _, summary = ran(
        tmp_path / "a",
        written(
            tmp_path / "a",
            answer="sent_by_hand(Gaussian(*flat(instance)))",
            more=f"PATCH = {PATCHED!r}{SMUGGLED}",
        ),
    )
    assert Scorer.losses is before
    ((_, reason),) = summary.failed
    assert "is no answer" in reason


def test_the_arrays_of_an_instance_are_frozen_to_the_ground_in_every_process():
    instance = tasks.instance(TASK, 0)
    for item in (
        instance,
        pickle.loads(pickle.dumps(instance)),
        tasks.instance("sklearn-wine1/partition/a", 0),
    ):
        for name in item.arrays():
            array = getattr(item, name)
            while isinstance(array, np.ndarray):
                with pytest.raises(ValueError, match="WRITEABLE"):
                    array.flags.writeable = True
                array = array.base
            assert isinstance(array, bytes)


def test_a_program_is_not_told_where_the_data_is(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_DATA", str(tmp_path))
    script = tmp_path / "spy.sh"
    script.write_text(
        "env | grep -q BENCHBOOK_ && exit 7\nwhile read line; do echo 0 1; done < $2 > $3\n"
    )
    method = methods.from_command(f"sh {script} {{train}} {{test}} {{guess}}")
    assert methods.answer(method, tasks.instance(TASK, 0), generator(1))[0].kind == "gaussian"


def test_a_name_of_the_archive_is_taken(tmp_path, monkeypatch):
    spec = written(tmp_path / "a")
    instance = tasks.instance(TASK, 0)
    frame = pl.DataFrame({"instance": 0, "case": instance.case_ids, "loss": "S", "value": 0.5})
    archive = studies.Archive(tmp_path / "archive")
    for result in studies.imported(frame, TASK, "mine", "elsewhere"):
        archive.write(result)
    assert studies.Plan("trial", 1, [spec], [TASK]).runs()
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(archive.path))
    with pytest.raises(BenchbookError, match="'mine', and so is a method in the book's archive"):
        studies.Plan("trial", 1, [spec], [TASK])


def test_a_loss_that_is_too_small_is_remarked():
    result = studies.run_one(studies.RunKey("lin-1", TASK, 0), 1, "trial")
    assert remark(result) == ""
    variance = tasks.standard(TASK, "S")
    for share, said in ((0.99e-4, True), (1e-4 + 1e-12, False)):
        losses = np.full(len(result.case_ids), share * variance)
        shrunk = studies.RunResult(result.record, {"S": losses}, result.case_ids)
        assert ("look for an input that gives the target away" in remark(shrunk)) is said


# -- the file of a method is imported where the method runs, and nowhere else -----------------------------------------

ANOTHER_LOSS = """
from benchbook.losses import registry
class Zero(type(registry.get("S"))):
    def per_case(self, prediction, targets):
        return 0.0 * np.asarray(targets)
registry._registry._known["S"] = Zero()
"""
FROM_A_THREAD = """
import threading, time
def wait():
    time.sleep(0.3)
    from benchbook.tasks import Scorer
    Scorer.losses = lambda self, prediction, codes=None: {code: 0.0 * self.targets for code in codes}
threading.Thread(target=wait, daemon=True).start()
"""
OPEN_FILES = """
import os
for number in range(3, 64):
    try:
        if os.fstat(number).st_ino == INODE:
            os.write(number, b"forged")
    except OSError:
        pass
"""


@pytest.fixture
def as_it_was():
    """The losses and the scorer are put back, where a test fails."""
    registry.available()
    known, scorer = registry._registry._known, Scorer.losses
    before = dict(known)
    yield
    known.clear()
    known.update(before)
    Scorer.losses = scorer


@pytest.mark.usefixtures("as_it_was")
@pytest.mark.parametrize("attack", [ANOTHER_LOSS, FROM_A_THREAD])
def test_what_a_file_does_when_it_is_imported_does_not_reach_the_scores(tmp_path, attack):
    honest, _ = ran(tmp_path / "honest", written(tmp_path / "honest"))
    other, summary = ran(tmp_path / "other", written(tmp_path / "other", more=attack))
    time.sleep(0.4)
    again, _ = ran(tmp_path / "third", written(tmp_path / "third"))
    assert len(summary.done) == 1
    assert honest.drop("digest").equals(other.drop("digest"))
    assert honest.drop("digest").equals(again.drop("digest"))
    assert honest.filter(pl.col("loss") == "S")["value"].mean() > 0


def test_a_file_that_is_imported_has_no_open_file_of_the_store(tmp_path):
    record = tmp_path / "record"
    with record.open("wb", buffering=0) as store:
        spec = written(
            tmp_path / "a", more=f"INODE = {os.fstat(store.fileno()).st_ino}{OPEN_FILES}"
        )
        _, summary = ran(tmp_path / "a", spec)
    assert len(summary.done) == 1
    assert record.read_bytes() == b""


def test_no_command_imports_the_file_of_a_method_in_the_process_that_scores(tmp_path, home):
    ids, before = tmp_path / "ids", set(sys.modules)
    spec = written(
        tmp_path / "a",
        more=f"\nimport os\nwith open({str(ids)!r}, 'a') as file:\n"
        "    print(os.getpid(), file=file)\n",
    )
    small = ["--workers", "1", "--instances", "1"]
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f'name = "x"\nseed = 1\nmethods = ["{spec}"]\ntasks = ["{TASK}"]\ninstances = 1\n'
    )
    for words in (
        ["methods", "show", spec],
        ["method", "check", spec],
        ["run", "-m", spec, "-t", TASK, *small],
        ["run", "--plan", str(plan), "--no-compare", "--workers", "1"],
        ["run", "-m", f"{spec}[hidden=3]", "-t", TASK, *small],
        ["compare", "-t", TASK, "--common-instances"],
        ["today", "--method", spec, "--dry-run"],
        [
            "challenge",
            "enter",
            spec,
            "-t",
            "gaze-sim/gaze/validation",
            "--out",
            str(tmp_path / "sent"),
        ],
    ):
        result = CliRunner().invoke(app, words)
        assert result.exit_code == (2 if "hidden" in " ".join(words) else 0), (
            f"{words}\n{result.output}"
        )
        assert str(os.getpid()) not in ids.read_text().split(), words
    assert len(ids.read_text().split()) > 3
    assert not [name for name in set(sys.modules) - before if name.startswith("benchbook_user_")]


def test_a_name_that_was_written_into_a_record_is_no_reason_to_run_a_file(tmp_path):
    seen = tmp_path / "seen"
    spec = written(tmp_path / "a", more=f"\nopen({str(seen)!r}, 'w').close()\n")
    with pytest.raises(BenchbookError, match="has no recipe"):
        report_records._recipe(spec)
    assert not seen.exists()
    methods.get(spec)
    assert seen.exists()


def test_a_loss_from_the_file_of_a_method_is_refused(tmp_path, home):
    spec = written(
        tmp_path / "a",
        more="\nfrom benchbook.losses.own import loss\n@loss()\n"
        "def own(prediction, targets):\n    return 0.0 * targets\n",
    )
    result = CliRunner().invoke(
        app, ["run", "-m", spec, "-t", TASK, "--loss", spec.replace(":mine", ":own")]
    )
    assert result.exit_code == 2
    assert "put the loss into a file of its own" in result.output


# -- what a file says of its method -----------------------------------------------------------------------------------

SAID = """
from dataclasses import dataclass
from benchbook.methods import setting, variant

@dataclass(frozen=True)
class Constants:
    rounds: tuple[int, ...] = setting((1, 5), "of work", least=1)
    rate: float = setting(1 / 3, "of change", above=0)

@method(name="set", source="ours", kinds=("real", "class"), settings=Constants())
def set_(instance, rng, settings):
    \"\"\"Says what it was given.\"\"\"

other = variant(set_, rate=0.5)
"""


@pytest.mark.parametrize(
    "name", ["set_", "other", "set_[rate=0.5,rounds=(2,)]", "set_[rate=2.0, name=fast]", "mine"]
)
def test_what_is_known_of_a_method_from_its_file_is_what_the_method_says(tmp_path, name):
    spec = written(tmp_path / "a", more=SAID).replace(":mine", f":{name}")
    result, method = methods.declared(spec), methods.get(spec)
    assert (result.name, result.kinds, result.description) == (
        method.name,
        method.kinds,
        method.description,
    )
    shown = methods.describe(method)
    assert (result.source, result.text, result.calls) == (shown.source, shown.text, shown.calls)
    assert result.settings == shown.settings
    assert methods.settings_text(result) == methods.settings_text(method)
    assert result.file == str(tmp_path / "a" / "mine.py")
    known = methods.identity(spec).split()
    assert len(known) == 2 + (result.origin is not None)
    assert methods.declared(spec) is result


def test_a_module_on_the_path_is_known_by_the_text_of_its_file(tmp_path, monkeypatch):
    written(tmp_path / "a")
    (tmp_path / "a" / "mine.py").rename(tmp_path / "a" / "mine_on_the_path.py")
    monkeypatch.syspath_prepend(tmp_path / "a")
    spec = "mine_on_the_path:mine"
    result = methods.identity(spec)
    assert re.fullmatch(r"mine_on_the_path.py [0-9a-f]{16}", result)
    assert "mine_on_the_path" not in sys.modules


def test_a_file_is_asked_again_when_it_has_changed(tmp_path):
    spec = written(tmp_path / "a")
    assert methods.declared(spec).name == "mine"
    path = tmp_path / "a" / "mine.py"
    path.write_text(path.read_text().replace('name="mine"', 'name="mine-2"'))
    assert methods.declared(spec).name == "mine-2"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("\nwhile True: pass", "importing .*mine took more than 2 s, and was ended"),
        (
            "\nimport os; os._exit(7)",
            "importing .*mine failed: the process ended by itself with exit code 7",
        ),
        ("\nimport os; os.kill(os.getpid(), 9)", "was killed by SIGKILL"),
        (
            SMUGGLED.replace("(answer)", "()").replace("return answer", "")
            + "\nPATCH = 'print(1)'\nsent_by_hand()",
            "failed: what the process sent is no answer",
        ),
    ],
)
def test_an_import_that_does_not_end_well_is_told(tmp_path, monkeypatch, more, said):
    monkeypatch.setattr(
        "benchbook.methods.outside.PATIENCE", 2.0 if "more than 2 s" in said else 60.0
    )
    spec = written(tmp_path / "a", more=more)
    for ask in (methods.declared, methods.checked):
        with pytest.raises(BenchbookError, match=said):
            ask(spec)


def test_an_import_that_hangs_in_a_worker_only_ends_the_study_with_its_name(tmp_path, monkeypatch):
    seen = tmp_path / "seen"
    spec = written(
        tmp_path / "a",
        more=f"\nfrom pathlib import Path\nwhile Path({str(seen)!r}).exists(): pass\n",
    )
    plan = studies.Plan("trial", 1, [spec], [TASK], instances=1)
    seen.touch()
    monkeypatch.setattr("benchbook.methods.outside.PATIENCE", 2.0)
    with pytest.raises(
        BenchbookError,
        match=r"importing .*mine in a worker process took more than 2 s, and was ended",
    ):
        studies.run(plan, tmp_path / "runs", workers=1, progress=False)


def test_what_is_printed_at_import_goes_to_standard_error(tmp_path, capfd):
    methods.declared(
        written(tmp_path / "a", more="\nimport os\nprint('by Python')\nos.write(1, b'by hand')")
    )
    result = capfd.readouterr()
    assert result.out == ""
    assert "by Python" in result.err
    assert "by hand" in result.err
