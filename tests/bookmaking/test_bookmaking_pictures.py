"""Charts drawn by one process for all are those that each would draw by itself, and so are its complaints."""

import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchbook.bookmaking import kernel
from benchbook.charts.kit import output

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="there is one beside forked kernels only, on Linux"
)
CHART = {
    "mark": "point",
    "data": {"values": [{"x": 1, "y": 0.1}, {"x": 2.0, "y": None}]},
    "title": "größer als ½",
    "encoding": {
        "x": {"field": "x", "type": "quantitative"},
        "y": {"field": "y", "type": "quantitative"},
    },
}


@pytest.fixture(scope="module")
def place():
    with kernel.fork_server(dict(os.environ), kernels=3) as server:
        place, until = Path(server).with_name("pictures"), time.monotonic() + 20
        while not place.exists() and time.monotonic() < until:
            time.sleep(0.05)
        yield place
    assert not place.exists()


def refuse(*_, **__):
    raise AssertionError("drawn by itself")


def test_the_picture_is_the_same(place, monkeypatch):
    own = output.picture(CHART)
    monkeypatch.setenv("BENCHBOOK_PICTURES", str(place))
    monkeypatch.setattr(output, "vl_convert", SimpleNamespace(vegalite_to_svg=refuse))
    assert output.picture(CHART) == own
    assert "größer als ½" in own


def test_a_faulty_chart_fails_as_by_itself_and_the_next_is_drawn(place, monkeypatch):
    faulty = {**CHART, "transform": [{"filter": "datum.("}]}
    with pytest.raises(ValueError, match="Unexpected token") as own:
        output.picture(faulty)
    monkeypatch.setenv("BENCHBOOK_PICTURES", str(place))
    with pytest.raises(ValueError, match="Unexpected token") as theirs:
        output.picture(faulty)
    assert str(theirs.value) == str(own.value)
    assert "<svg" in output.picture(CHART)


def test_where_nobody_draws_it_is_drawn_by_itself(tmp_path, monkeypatch):
    own = output.picture(CHART)
    monkeypatch.setenv("BENCHBOOK_PICTURES", str(tmp_path / "nobody"))
    assert output.picture(CHART) == own
