"""Forms as text: the template, what is written and read again, where keys stand, and the command line."""

import json
import re
import tomllib

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from benchbook.cli import app
from benchbook.datasets import proben1
from benchbook.errors import BenchbookError
from benchbook_book import form as checklist
from benchbook_book.form import words

NAMES = st.text(st.characters(codec="utf-8"), max_size=9)
NUMBERS = (
    st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
)


@pytest.fixture
def call():
    """Call ``benchbook checklist`` and check how it ends."""

    def run(*arguments, code=0):
        result = CliRunner().invoke(app, ["checklist", *map(str, arguments)])
        assert result.exit_code == code, (
            f"{arguments}: exit {result.exit_code}\n{result.output}\n{result.exception!r}"
        )
        return result

    return run


def refused(text):
    return [
        finding
        for finding in checklist.findings(tomllib.loads(text), checklist.toml_line_numbers(text))
        if not finding.warning
    ]


@pytest.mark.parametrize("name", ["", "cancer1", "soybean2c", "flare3", "building1", "heartac2"])
def test_a_template_is_refused_exactly_where_it_is_empty(name):
    text = checklist.template(name)
    empty = {
        number for number, line in enumerate(text.splitlines(), start=1) if line.endswith(' = ""')
    }
    result = refused(text)
    lines = text.splitlines()
    assert empty
    assert {item.line for item in result} == empty
    assert all(lines[item.line - 1].split(" = ")[0] == item.key.split(".")[-1] for item in result)


@pytest.mark.parametrize(
    ("model", "optimiser"),
    [("network", name) for name in ("Rprop", "SGD", "adamw", "RMSprop", "Quickprop", "other")]
    + [("boosted trees", "Rprop"), ("other", "Rprop")],
)
def test_every_template_asks_for_what_its_learner_needs(model, optimiser):
    text = checklist.template("", "mine.toml", model, optimiser)
    empty = {number for number, line in enumerate(text.splitlines(), 1) if line.endswith(' = ""')}
    assert {item.line for item in refused(text)} == empty
    assert "# [[comparison]]" in text.splitlines()
    assert ("[optimiser]" in text) == (model == "network")
    assert "[stopping]" in text.splitlines()


def test_no_template_of_what_the_form_does_not_know():
    with pytest.raises(BenchbookError, match="it has network, boosted trees, other"):
        checklist.template(model="forest")
    with pytest.raises(BenchbookError, match="it has Rprop, SGD"):
        checklist.template(optimiser="Newton")


def test_a_template_of_a_known_partition_knows_what_is_known():
    given = tomllib.loads(checklist.template("glass2c"))
    assert given["problem"] == {"name": "glass", "collection": "PROBEN1", "kind": "classification"}
    assert [given["split"][part] for part in ("name", "training", "validation", "test")] == [
        "glass2c",
        107,
        54,
        53,
    ]
    assert (given["model"]["inputs"], given["model"]["outputs"]) == (9, 6)
    assert tomllib.loads(checklist.template("building1"))["problem"]["kind"] == "approximation"
    with pytest.raises(BenchbookError, match="nearest is 'soybean1'"):
        checklist.template("soybeen1")


def test_what_is_written_reads_the_same_again(made, tmp_path):
    values = made.tables()
    assert tomllib.loads(checklist.toml(values)) == values
    checklist.write(values, tmp_path / "deep" / "report.toml")
    assert checklist.check(tmp_path / "deep" / "report.toml").values == values
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["report.toml"]


@settings(max_examples=60, deadline=None)
@given(
    text=st.text(st.characters(codec="utf-8"), min_size=1),
    numbers=st.lists(NUMBERS, max_size=4),
    named=st.dictionaries(NAMES, NUMBERS | st.text(st.characters(codec="utf-8")), max_size=5),
)
def test_any_text_and_number_survives_writing(text, numbers, named):
    values = {
        "problem": {"name": text},
        "model": {"hidden": numbers},
        "optimiser": {"other": text, "parameters": named},
        "stopping": {"criterion": {"other": text}, "restarts": "never"},
        "comparison": [{"against": text, "test": {"other": text}}, {"p": 1.5}],
    }
    assert tomllib.loads(checklist.toml(values)) == values


def test_lines_are_those_of_the_keys(made):
    text = (made.folder / "sound-1994.toml").read_text(encoding="utf8")
    lines, numbers = text.splitlines(), checklist.toml_line_numbers(text)
    assert len(numbers) == sum(1 for line in lines if line and not line.startswith("#"))
    for name, number in numbers.items():
        last = name.rsplit(".", 1)[-1]
        assert lines[number - 1].startswith((f"{last} = ", f"[{name}]", "[[comparison]]"))
    assert numbers["comparison[0].level"] == 1 + lines.index("level = 10")


def test_lines_are_not_led_astray_by_texts_and_comments():
    text = 'a = """\n[no]\nb = 1\n"""\n# [neither]\n[t] # yes\n  c= 2\n[[l]]\nd = 1\n[[l]]\nd = 2\ne = """one"""\nf = 1'
    assert checklist.toml_line_numbers(text) == {
        "a": 1,
        "t": 6,
        "t.c": 7,
        "l[0]": 8,
        "l[0].d": 9,
        "l[1]": 10,
        "l[1].d": 11,
        "l[1].e": 12,
        "l[1].f": 13,
    }


def test_the_command_line_accepts_and_refuses(call, made):
    good = made.folder / "sound-1994.toml"
    assert "is good: 0 faults, 0 remarks" in call("check", good).output
    assert "squared error percentage 1.60 (0.41)" in call("check", good, "--sentence").output
    text = call("check", made.folder / "many-faults.toml", code=1).output
    line = (
        (made.folder / "many-faults.toml")
        .read_text(encoding="utf8")
        .splitlines()
        .index('watches = "test cases"')
    )
    assert f"many-faults.toml:{line + 1}: fault: stopping.watches" in text
    assert ": remark: runs.made" in text
    counts = re.search(r"is faulty: (\d+) faults, (\d+) remarks$", text.rstrip())
    assert text.count("  rule      ") == int(counts[1]) + int(counts[2]) > 25


def test_the_old_word_answers_and_names_the_new_one(made):
    result = CliRunner().invoke(app, ["report", "check", str(made.folder / "sound-1994.toml")])
    assert result.exit_code == 0
    assert result.stderr == "`benchbook report` is now `benchbook checklist`\n"
    assert "\n  report " not in CliRunner().invoke(app, ["--help"]).output


def test_the_command_line_speaks_json(call, made):
    good = json.loads(call("check", made.folder / "sound-1994.toml", "--json").output)
    assert (good["good"], good["faults"], good["warnings"]) == (True, [], [])
    assert good["sentence"].startswith("On cancer1 of PROBEN1")
    bad = json.loads(call("check", made.folder / "many-faults.toml", "--json", code=1).output)
    assert not bad["good"]
    assert all(
        set(item) == {"key", "line", "found", "write", "rule", "source", "words"}
        for item in bad["faults"]
    )


def test_the_command_line_writes_a_form_once(call, tmp_path):
    path = tmp_path / "mine.toml"
    assert "fill it in" in call("new", path, "--problem", "card2").output
    assert path.read_text(encoding="utf8") == checklist.template("card2", "mine.toml")
    assert "--force" in call("new", path, code=2).stderr
    call("new", path, "--force", "--model", "boosted trees")
    assert path.read_text(encoding="utf8") == checklist.template("", "mine.toml", "boosted trees")
    call("check", path, code=1)
    assert call("new", "-", "--problem", "gene1").output == checklist.template("gene1")
    assert "nearest is 'cancer1'" in call("new", "-", "--problem", "canser1", code=2).stderr
    assert "no report" in call("check", tmp_path / "nosuch.toml", code=2).stderr


def test_the_nearest_partition_is_never_the_name_itself(own_partition, call):
    text = call("new", "-", "--problem", "risk", code=2).stderr
    assert "nearest is 'risk1'" in text


def test_a_dataset_without_a_number_is_a_partition_too(home, tmp_path, call):
    rng = np.random.default_rng(1)
    path = proben1.write_dt(
        tmp_path / "o.dt", rng.uniform(size=(40, 3)), rng.uniform(size=(40, 1)), (20, 10, 10)
    )
    assert CliRunner().invoke(app, ["datasets", "add", str(path), "--name", "risk"]).exit_code == 0
    assert 'collection = "own data"' in call("new", "-", "--problem", "risk").output


@pytest.mark.parametrize(
    ("text", "nothing"),
    [("", True), ("As usual.", True), ("default", True), ("the default of 0.1", False)],
)
def test_a_filler_says_nothing_with_a_full_stop_too(text, nothing):
    assert words.says_nothing(text) == nothing
