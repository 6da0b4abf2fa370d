"""Methods have names in words, for charts and tables."""

import altair as alt
import polars as pl
import pytest

from benchbook.charts.kit import naming, output
from benchbook.method_names import NAMES, codes, in_words, only_codes, with_codes
from benchbook.methods import registry


def test_every_method_has_a_name_of_its_own():
    assert set(NAMES) == set(registry._discovered())
    assert len(set(NAMES.values())) == len(NAMES)
    assert all(len(name) <= 32 and "," not in name for name in NAMES.values())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mlp-mc-2wb", "sampled network + warp ×3"),
        ("mlp-bgd-1[hidden=30]", "early stopping[hidden=30]"),
        ("`lin-1` and base-1.", "linear regression and constant guess."),
        ("my-lin-1, lin-1.py, lin-1-before", "my-lin-1, lin-1.py, lin-1-before"),
        ("command: lin-1", "command: linear regression"),
    ],
)
def test_codes_become_words_and_nothing_else_does(text, words):
    assert in_words(text) == words


def test_lists_of_codes_are_told_from_sentences():
    assert all(
        map(only_codes, ("lin-1", "< lin-1", "lin-1, base-1 and forest-1", "lin-1 (exploit)"))
    )
    assert not any(map(only_codes, ("", "none", "as lin-1, with more", "mine", "1")))
    said = set()
    assert with_codes("lin-1", said) == "linear regression `lin-1`"
    assert with_codes("lin-1", said) == "linear regression"
    assert list(codes("lin-1 base-1 lin-1")) == ["lin-1", "base-1", "lin-1"]


def drawn(chart):
    spec, found = naming.named(output.specification(chart))
    return output.picture(spec), spec, found


def test_a_chart_says_names_and_keeps_codes_in_its_data():
    table = pl.DataFrame({"method": ["lin-1", "mine", "mlp-mc-3"], "loss": [1.0, 2.0, 3.0]})
    base = alt.Chart(table).encode(x="loss:Q")
    marks = base.mark_point().encode(y="method:N", color="method:N")
    svg, spec, found = drawn(marks + base.mark_text().encode(text="method:N"))
    assert found == ["lin-1", "mlp-mc-3"]
    assert "linear regression</text>" in svg
    assert ">mine</text>" in svg
    assert "lin-1</text>" not in svg
    assert output.data_csv(spec).splitlines()[1] == "lin-1,1.0"


def test_panels_and_buttons_of_a_chart_say_names():
    table = pl.DataFrame({"method": ["lin-1", "base-1"], "loss": [1.0, 2.0]})
    one = alt.param(name="one", bind=alt.binding_radio(options=["lin-1", "base-1"]), value="lin-1")
    chart = alt.Chart(table).mark_point().encode(x="loss:Q").add_params(one).facet("method:N")
    svg, spec, _ = drawn(chart)
    assert ">constant guess</text>" in svg
    assert "linear regression" in str(spec["params"])


def test_a_chart_without_methods_stays():
    spec = output.specification(alt.Chart(pl.DataFrame({"a": [1]})).mark_point().encode(x="a:Q"))
    assert naming.named(spec) == (spec, [])


def test_only_codes_whose_names_are_seen_are_told():
    table = pl.DataFrame({"method": ["lin-1"], "kind": ["entry"], "a": [1]})
    chart = alt.Chart(table).mark_point().encode(x="a:Q", color="kind:N", tooltip="method:N")
    assert drawn(chart)[2] == []
