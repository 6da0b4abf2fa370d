"""What a method cannot do to its own score, and what is said of a score that is too good."""

import pickle

import numpy as np
import polars as pl
import pytest

from benchbook import methods, studies, tasks
from benchbook.errors import BenchbookError
from benchbook.seeds import generator
from benchbook.studies.remarks import remark
from benchbook.tasks import Scorer

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


@pytest.mark.parametrize("change", [
    {"act": "exec(PATCH)", "more": f"PATCH = {PATCHED!r}"},
    {"answer": "Sure(*flat(instance))", "more": OVERRIDDEN},
    {"answer": "Gaussian(*flat(instance)), {'cost': Cost(1.0)}", "more": f"PATCH = {PATCHED!r}{SMUGGLED}"},
])
def test_what_a_method_does_while_it_runs_does_not_reach_its_score(tmp_path, change):
    honest, _ = ran(tmp_path / "honest", written(tmp_path / "honest"))
    other, summary = ran(tmp_path / "other", written(tmp_path / "other", **change))
    assert len(summary.done) == 1
    assert honest.drop("digest").equals(other.drop("digest"))
    assert honest.filter(pl.col("loss") == "S")["value"].mean() > 0


def test_what_a_method_sends_in_place_of_its_answer_is_no_program_but_a_failure(tmp_path):
    before = Scorer.losses
    _, summary = ran(tmp_path / "a", written(tmp_path / "a", answer="sent_by_hand(Gaussian(*flat(instance)))",
                                             more=f"PATCH = {PATCHED!r}{SMUGGLED}"))
    assert Scorer.losses is before
    ((_, reason),) = summary.failed
    assert "is no answer" in reason


def test_the_arrays_of_an_instance_are_frozen_to_the_ground_in_every_process():
    instance = tasks.instance(TASK, 0)
    for one in (instance, pickle.loads(pickle.dumps(instance)), tasks.instance("sklearn-wine1/partition/a", 0)):
        for name in one.arrays():
            array = getattr(one, name)
            while isinstance(array, np.ndarray):
                with pytest.raises(ValueError, match="WRITEABLE"):
                    array.flags.writeable = True
                array = array.base
            assert isinstance(array, bytes)


def test_a_program_is_not_told_where_the_data_is(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_DATA", str(tmp_path))
    script = tmp_path / "spy.sh"
    script.write_text("env | grep -q BENCHBOOK_ && exit 7\nwhile read line; do echo 0 1; done < $2 > $3\n")
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
    perfect = studies.RunResult(result.record, {"S": 1e-6 * result.losses["S"]}, result.case_ids)
    assert "look for an input that gives the target away" in remark(perfect)
