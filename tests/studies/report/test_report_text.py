"""Forms as text: the template, what is written and read again, where keys stand, and the command line."""

import json
import tomllib

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from benchbook.cli import app
from benchbook.errors import BenchbookError
from benchbook.studies import report

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True)
NUMBERS = (
    st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
)


@pytest.fixture
def call():
    """Call ``benchbook report`` and check how it ends."""

    def run(*arguments, code=0):
        result = CliRunner().invoke(app, ["report", *map(str, arguments)])
        assert result.exit_code == code, (
            f"{arguments}: exit {result.exit_code}\n{result.output}\n{result.exception!r}"
        )
        return result

    return run


def refused(text):
    return [
        one
        for one in report.findings(tomllib.loads(text), report.lines_of(text))
        if not one.warning
    ]


@pytest.mark.parametrize("name", ["", "cancer1", "soybean2c", "flare3", "building1", "heartac2"])
def test_a_template_is_refused_exactly_where_it_is_empty(name):
    text = report.template(name)
    empty = {
        number for number, line in enumerate(text.splitlines(), start=1) if line.endswith(' = ""')
    }
    found = refused(text)
    lines = text.splitlines()
    assert empty
    assert {one.line for one in found} == empty
    assert all(lines[one.line - 1].split(" = ")[0] == one.key.split(".")[-1] for one in found)


def test_a_template_asks_for_every_needed_key_and_offers_the_others():
    text = report.template()
    given = tomllib.loads(text)
    for name, key in report.KEYS.items():
        last = name.rsplit(".", 1)[-1]
        assert (
            f"# {last} = " in text
            or not key.needed
            or last == "parameters"
            or _at(given, name) == ""
        )
    offered = {
        line.removeprefix("# ").split(" = ")[0] for line in text.splitlines() if " = " in line
    }
    assert {name.rsplit(".", 1)[-1] for name in report.KEYS} - offered == {"parameters"} - offered
    assert "# [[comparison]]" in text.splitlines()


def _at(tables, name):
    for part in name.split("."):
        tables = tables[part]
    return tables


def test_a_template_of_a_known_partition_knows_what_is_known():
    given = tomllib.loads(report.template("glass2c"))
    assert given["problem"] == {"name": "glass", "source": "PROBEN1", "kind": "classification"}
    assert [given["partition"][part] for part in ("name", "training", "validation", "test")] == [
        "glass2c",
        107,
        54,
        53,
    ]
    assert (given["network"]["inputs"], given["network"]["outputs"]) == (9, 6)
    assert tomllib.loads(report.template("building1"))["problem"]["kind"] == "approximation"
    with pytest.raises(BenchbookError, match="nearest is 'soybean1'"):
        report.template("soybeen1")


def test_a_template_filled_in_passes(made):
    text = report.template("cancer1")
    filled = made.tables()
    for table, values in filled.items():
        if table in ("comparison", "results", "algorithm"):
            continue
        for name, value in values.items():
            shown = json.dumps(value)
            text = (
                text.replace(f'\n{name} = ""\n', f"\n{name} = {shown}\n", 1)
                if isinstance(value, str)
                else text
            )
    assert len(refused(text)) < len(refused(report.template("cancer1")))


def test_what_is_written_reads_the_same_again(made, tmp_path):
    values = made.tables()
    assert tomllib.loads(report.toml(values)) == values
    report.write(values, tmp_path / "deep" / "report.toml")
    assert report.check(tmp_path / "deep" / "report.toml").values == values
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
        "network": {"hidden": numbers},
        "comparison": [{"with": text}, {"mean": 1.5}],
        "algorithm": {"name": text, "parameters": named},
    }
    assert tomllib.loads(report.toml(values)) == values


def test_lines_are_those_on_which_keys_stand(made):
    text = (made.folder / "good.toml").read_text(encoding="utf8")
    lines, places = text.splitlines(), report.lines_of(text)
    assert len(places) == sum(1 for line in lines if line and not line.startswith("#"))
    for name, number in places.items():
        last = name.rsplit(".", 1)[-1]
        assert lines[number - 1].startswith((f"{last} = ", f"[{name}]", "[[comparison]]"))
    assert places["comparison[0].mean"] == 1 + next(
        n for n, line in enumerate(lines) if line == "mean = 3.52"
    )


def test_lines_are_not_led_astray_by_texts_and_comments():
    text = 'a = """\n[no]\nb = 1\n"""\n# [neither]\n[t] # yes\n  c= 2\n[[l]]\nd = 1\n[[l]]\nd = 2\ne = """one"""\nf = 1'
    assert report.lines_of(text) == {
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
    good = made.folder / "good.toml"
    assert "is good: 0 faults, 0 warnings" in call("check", good).output
    assert "Over" not in call("check", good).output
    assert "squared error percentage 1.60 (0.41)" in call("check", good, "--sentence").output
    said = call("check", made.folder / "many-faults.toml", code=1).output
    assert "many-faults.toml:42: fault: stopping.measured_on" in said
    assert "many-faults.toml:55: warning: runs.total" in said
    assert said.rstrip().endswith("is faulty: 20 faults, 5 warnings")
    assert said.count("  rule   ") == 25


def test_the_command_line_speaks_json(call, made):
    good = json.loads(call("check", made.folder / "good.toml", "--json").output)
    assert (good["good"], good["faults"], good["warnings"]) == (True, [], [])
    assert good["sentence"].startswith("On cancer1 of PROBEN1")
    bad = json.loads(call("check", made.folder / "many-faults.toml", "--json", code=1).output)
    assert (bad["good"], len(bad["faults"]), len(bad["warnings"])) == (False, 20, 5)
    assert all(
        set(one) == {"key", "line", "found", "write", "rule", "source", "words"}
        for one in bad["faults"]
    )


def test_the_command_line_writes_a_form_once(call, tmp_path):
    path = tmp_path / "mine.toml"
    assert "fill it in" in call("new", path, "--problem", "card2").output
    assert path.read_text(encoding="utf8") == report.template("card2", "mine.toml")
    assert "--force" in call("new", path, code=2).stderr
    call("new", path, "--force")
    assert path.read_text(encoding="utf8") == report.template("", "mine.toml")
    call("check", path, code=1)
    assert call("new", "-", "--problem", "gene1").output == report.template("gene1")
    assert "nearest is 'cancer1'" in call("new", "-", "--problem", "canser1", code=2).stderr
    assert "no report" in call("check", tmp_path / "nosuch.toml", code=2).stderr
