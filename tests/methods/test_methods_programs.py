"""Any program as a method: what it is given, what is read back, and what is said when it goes wrong."""

import shlex
import sys
import time

import numpy as np
import pytest

from benchbook import methods
from benchbook.errors import BenchbookError
from benchbook.seeds import generator

PYTHON = f"{shlex.quote(sys.executable)} -I -S"

GAUSSIAN = """
import sys
train, test, guess = sys.argv[1:4]
targets = [float(line.split()[-1]) for line in open(train)]
mean = sum(targets) / len(targets)
variance = sum((t - mean) ** 2 for t in targets) / (len(targets) - 1)
with open(guess, "w") as out:
    for line in open(test):
        print(mean, variance, file=out)
"""

FOR_EACH_TEST_CASE = """
import sys
out = open(sys.argv[3], "w")
for line in open(sys.argv[2]):
"""


@pytest.fixture
def program(tmp_path):
    """A function that makes a method of the text of a program."""

    def make(text, **options):
        path = tmp_path / "a folder" / "my program.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        command = f"{PYTHON} {shlex.quote(str(path))} {{train}} {{test}} {{guess}} {{seed}}"
        return methods.from_command(command, **options)

    return make


def ask(method, instance, seed=1):
    return methods.answer(method, instance, generator(seed))[0]


def test_a_program_that_does_what_base_1_does(program, smooth):
    method = program(GAUSSIAN)
    assert method.name == "my-program"
    ours, theirs = ask(methods.get("base-1"), smooth), ask(method, smooth)
    np.testing.assert_allclose(theirs.mean(), ours.mean(), rtol=1e-12)
    np.testing.assert_allclose(theirs.variance(), ours.variance(), rtol=1e-12)


def test_inputs_arrive_exactly_and_the_seed_with_them(program, smooth):
    method = program(FOR_EACH_TEST_CASE + "    print(line.split()[0], file=out)\n")
    assert ask(method, smooth).mean().tolist() == smooth.test_inputs[:, 0].tolist()
    seeded = program(FOR_EACH_TEST_CASE + "    print(sys.argv[4], file=out)\n")
    first, again, other = ask(seeded, smooth, 1), ask(seeded, smooth, 1), ask(seeded, smooth, 2)
    assert first == again
    assert first != other
    assert first.mean()[0] == int(first.mean()[0]) >= 0


def test_class_probabilities(program, three_classes):
    method = program(FOR_EACH_TEST_CASE + "    print(0.25, 0.5, 0.25, file=out)\n")
    assert ask(method, three_classes).parameters["probability"].tolist() == [[0.25, 0.5, 0.25]] * 10


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "import sys\nsys.stderr.write('warming up\\n\\nout of cheese\\n')\nsys.exit(3)",
            "ended with exit code 3; its last line on standard error: out of cheese",
        ),
        ("import sys\nsys.exit(1)", "exit code 1; it wrote nothing to standard error"),
        ("import os\nos.kill(os.getpid(), 9)", "ended with signal 9"),
        ("pass", "no guess file"),
        ("import sys\nopen(sys.argv[3], 'w').write('1 2\\n' * 9)", "9"),
        (
            "import sys\nopen(sys.argv[3], 'w').write('1 2\\n' * 4 + 'nan 1\\n' + '1 2\\n' * 5)",
            "line 5",
        ),
        (
            "import sys\nopen(sys.argv[3], 'w').write('1 2\\n' * 4 + 'one 1\\n' + '1 2\\n' * 5)",
            "line 5",
        ),
    ],
)
def test_what_goes_wrong_is_said_with_method_and_instance(program, smooth, text, said):
    with pytest.raises(BenchbookError, match=rf"(?s)method my-program on made/up/std.0#3.*{said}"):
        ask(program(text), smooth)


def test_a_program_that_takes_too_long_is_stopped_with_its_children(program, smooth, tmp_path):
    trace = tmp_path / "trace"
    method = program(
        "import subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, '-c', \"import time; time.sleep(1); open({str(trace)!r}, 'w')\"])\n"
        "time.sleep(30)\n",
        timeout=0.3,
    )
    began = time.monotonic()
    with pytest.raises(BenchbookError, match=r"stopped after 0\.3 seconds"):
        ask(method, smooth)
    assert time.monotonic() - began < 10
    time.sleep(1.3)
    assert not trace.exists()


def test_no_such_program_and_one_that_is_not_executable(smooth, tmp_path):
    with pytest.raises(BenchbookError, match=r"no program './no-such-program'"):
        ask(methods.from_command("./no-such-program {train} {test} {guess}"), smooth)
    path = tmp_path / "mine"
    path.write_text("#!/bin/sh\n")
    with pytest.raises(BenchbookError, match=r"chmod \+x"):
        ask(methods.from_command(f"{shlex.quote(str(path))} {{train}} {{test}} {{guess}}"), smooth)
    path.write_bytes(b"\0\0\0\0")
    path.chmod(0o755)
    with pytest.raises(BenchbookError, match="cannot be executed"):
        ask(methods.from_command(f"{shlex.quote(str(path))} {{train}} {{test}} {{guess}}"), smooth)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("./mine {train} {test}", r"lacks \{guess\}"),
        ("./mine", r"lacks \{train\} and \{test\} and \{guess\}"),
        ("", r"lacks \{train\}"),
        ("./mine 'oh {train} {test} {guess}", "cannot be read: No closing quotation"),
    ],
)
def test_a_command_that_cannot_work_is_refused_at_once(command, said):
    with pytest.raises(BenchbookError, match=said):
        methods.from_command(command)


def test_a_command_in_place_of_a_method_name():
    method = methods.get("command: ./my_net --in={train} {test} {guess}")
    assert (method.name, method.words[1]) == ("my_net", "--in={train}")


def test_no_files_are_left_behind(program, smooth, monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    ask(program(GAUSSIAN), smooth)
    assert list(tmp_path.glob("benchbook-*")) == []


@pytest.mark.parametrize(
    ("answer", "kinds"),
    [("print(0.5, file=out)", "real"), ("print(0.25, 0.5, 0.25, file=out)", "class")],
)
def test_a_check_finds_out_which_targets_a_program_predicts(program, answer, kinds):
    results = methods.check(program(FOR_EACH_TEST_CASE + f"    {answer}\n"))
    assert all(result.passed for result in results if result.name != "documentation")
    assert {result.name.split()[0] for result in results if " target: " in result.name} == {kinds}
    assert f"answers for {kinds} targets" in next(
        result.message for result in results if result.name == "targets"
    )
