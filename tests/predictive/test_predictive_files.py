"""The file format: exact, self-describing, written whole, and wary of what it reads."""

import errno
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from refusals import refused

from benchbook.errors import BenchbookError, FaultyInput
from benchbook.predictive import (
    Gaussian,
    Mixture,
    Point,
    Predictive,
    Quantiles,
    load,
    load_with_cases,
    save,
)
from benchbook.predictive.files import rebuilt
from benchbook.seeds import generator


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a folder" / "predictions [1].parquet"


def test_round_trip_is_exact(pred: Predictive, path: Path) -> None:
    save(pred, path)
    again, ids = load_with_cases(path)
    assert type(again) is type(pred)
    assert again == pred == load(path)
    assert ids.tolist() == [0, 1, 2, 3]
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_extreme_numbers_survive(path: Path) -> None:
    values = [0.1, -0.0, 5e-324, 1.7976931348623157e308, 1 / 3]
    save(Point(values), path)
    result = load(path)
    assert result.mean().tobytes() == np.array(values).tobytes()


def test_a_file_with_a_former_name_of_a_parameter_is_read(
    path: Path, zoo: dict[str, Predictive]
) -> None:
    save(zoo["student-t-mixture"], path)
    old = pl.read_parquet(path.read_bytes()).rename({"df": "degrees"})
    old.write_parquet(path)
    assert load(path) == zoo["student-t-mixture"]
    arrays = zoo["student-t-mixture"].parameters
    former = {"degrees" if name == "df" else name: array for name, array in arrays.items()}
    assert rebuilt("student-t-mixture", former) == zoo["student-t-mixture"]


def test_shared_weights_and_variances(path: Path) -> None:
    mixture = Mixture([0.25, 0.75], [[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0])
    save(mixture, path)
    again = load(path)
    assert again == mixture
    selected = {name: array.shape for name, array in again.parameters.items()}
    assert selected == {name: array.shape for name, array in mixture.parameters.items()}


@pytest.mark.parametrize("ids", [[17, 3, 99, -1], ["a", "b", "ä", "d"]])
def test_case_ids_are_kept(
    ids: list[int] | list[str], path: Path, zoo: dict[str, Predictive]
) -> None:
    save(zoo["gaussian"], path, cases=ids)
    assert load_with_cases(path)[1].tolist() == ids


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([1, 2, 3], "3 ids; must have one id for each of the 4 cases"),
        ([1, 2, 2, 4], "line 1, case: found 2; must be the id of one case only"),
        ([1.5, 2.0, 3.0, 4.0], "values of type Float64; must be whole numbers or text"),
    ],
)
def test_wrong_case_ids_are_refused(
    ids: list[int], message: str, path: Path, zoo: dict[str, Predictive]
) -> None:
    refused(FaultyInput, message, save, zoo["gaussian"], path, cases=ids)
    assert not path.exists()


def test_the_file_describes_itself(path: Path, zoo: dict[str, Predictive]) -> None:
    save(zoo["quantiles"], path)
    frame = pl.read_parquet(path.read_bytes())
    assert frame.columns == ["format", "kind", "case", "level", "value"]
    assert frame["format"].unique().to_list() == ["benchbook.predictive/1"]
    assert frame["kind"].unique().to_list() == ["quantiles"]
    assert frame["level"].to_list() == [[0.1, 0.3, 0.5, 0.95]] * 4


def test_a_file_made_by_another_program_is_read(path: Path) -> None:
    """Lists of any kind instead of arrays, small integers, and no checksum."""
    path.parent.mkdir()
    frame = pl.DataFrame(
        {
            "kind": ["quantiles"] * 2,
            "value": [[1, 2, 4], [-3, 0, 9]],
            "case": ["x", "y"],
            "level": [[0.25, 0.5, 0.75]] * 2,
            "format": ["benchbook.predictive/1"] * 2,
        },
        schema_overrides={"value": pl.List(pl.Int16)},
    )
    with path.open("wb") as file:
        frame.write_parquet(file)
    assert load(path) == Quantiles([0.25, 0.5, 0.75], [[1, 2, 4], [-3, 0, 9]])


Change = Callable[[pl.DataFrame], pl.DataFrame]
ONE_VALUE = "must hold one value, the same in every line"
CHANGES: dict[str, tuple[Change, tuple[str, ...]]] = {
    "no format": (lambda f: f.drop("format"), ("must have the column format",)),
    "other format": (
        lambda f: f.with_columns(format=pl.lit("benchbook.predictive/9")),
        (
            "column format: found 'benchbook.predictive/9'; must be 'benchbook.predictive/1', the only",
        ),
    ),
    "unknown kind": (
        lambda f: f.with_columns(kind=pl.lit("gausian")),
        ("column kind: found 'gausian'; must be one of point, gaussian, student-t, mixture",),
    ),
    "two kinds": (
        lambda f: f.with_columns(kind=pl.Series(["gaussian", "point"])),
        (f"gaussian, point; {ONE_VALUE}",),
    ),
    "null kind": (
        lambda f: f.with_columns(kind=pl.lit(None, pl.String)),
        (f"found None; {ONE_VALUE}",),
    ),
    "no lines": (
        lambda f: f.clear(),
        (f"column format: found none; {ONE_VALUE}", "column kind: found none"),
    ),
    "missing and foreign columns together": (
        lambda f: f.drop("variance", "case").with_columns(sd=pl.lit(1.0)),
        (
            "3 faults",
            "must have the column case",
            "must have the column variance",
            "column sd: found values of type Float64; is no part of kind gaussian; leave it out",
        ),
    ),
    "text for numbers": (
        lambda f: f.with_columns(mean=pl.lit("1")),
        ("values of type String; must hold one number",),
    ),
    "lists for numbers": (
        lambda f: f.with_columns(mean=pl.concat_list("mean")),
        ("must hold one number a case",),
    ),
    "null number": (
        lambda f: f.with_columns(mean=pl.Series([None, 1.0])),
        ("Gaussian: 1 fault", "case 0, mean: found nan; must be finite"),
    ),
    "faulty numbers": (
        lambda f: f.with_columns(variance=pl.Series([0.0, -1.0])),
        (
            "Gaussian: 2 faults",
            "case 0, variance: found 0.0",
            "case 1, variance: found -1.0; must be greater than 0",
        ),
    ),
    "case twice": (
        lambda f: f.with_columns(case=pl.lit(7)),
        ("2 faults", "line 0, case: found 7; must be the id of one case only"),
    ),
    "case missing": (
        lambda f: f.with_columns(case=pl.Series([1, None])),
        ("line 1, case: found null; must have an id",),
    ),
}


def _rewritten(pred: Predictive, path: Path, change: Change) -> None:
    save(pred, path)
    frame = change(pl.read_parquet(path.read_bytes()))
    with path.open("wb") as file:
        frame.write_parquet(file)


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_file_lacks_is_said(name: str, path: Path) -> None:
    change, messages = CHANGES[name]
    _rewritten(Gaussian([1.0, 2.0], [3.0, 4.0]), path, change)
    with pytest.raises(FaultyInput) as caught:
        load(path)
    assert str(path) in str(caught.value)
    for message in messages:
        assert message in str(caught.value)


MATRICES: dict[str, tuple[Change, str]] = {
    "numbers": (
        lambda f: f.with_columns(value=pl.lit(1.0)),
        "column value: found values of type Float64; must hold a list",
    ),
    "text": (
        lambda f: f.with_columns(value=pl.concat_list(pl.lit("a"))),
        "column value: found values of type List",
    ),
    "lengths": (
        lambda f: f.with_columns(value=pl.Series([[1.0, 2.0], [1.0]])),
        "lists of lengths 1, 2; must hold a list",
    ),
    "null": (
        lambda f: f.with_columns(value=pl.Series([[1.0, 2.0], None])),
        "lists of lengths None, 2",
    ),
    "inner null": (
        lambda f: f.with_columns(value=pl.Series([[1.0, None], [1.0, 2.0]])),
        "case 0, level 1, value: found nan",
    ),
    "levels": (
        lambda f: f.with_columns(level=pl.Series([[0.1, 0.9], [0.2, 0.1]])),
        "case 1, level 1: found 0.1; must be greater than the level before it, 0.2",
    ),
}


@pytest.mark.parametrize("name", MATRICES)
def test_lists_of_a_file_are_checked(name: str, path: Path) -> None:
    change, message = MATRICES[name]
    _rewritten(Quantiles([0.1, 0.9], [[1.0, 2.0], [3.0, 4.0]]), path, change)
    with pytest.raises(FaultyInput) as caught:
        load(path)
    assert message in str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    for path in (tmp_path / "none.parquet", tmp_path):
        refused(BenchbookError, r"there is no file .*; give the path", load, path)


@pytest.mark.parametrize(
    "content", [b"", b"case,mean\n1,2\n", b"PAR1", b"PAR1" + bytes(200) + b"PAR1"]
)
def test_a_foreign_file(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(content)
    refused(BenchbookError, "is not a Parquet file, or it is damaged or cut short", load, path)


def test_a_file_cut_short(path: Path, zoo: dict[str, Predictive]) -> None:
    save(zoo["mixture"], path)
    raw = path.read_bytes()
    for length in (3, len(raw) // 3, len(raw) // 2, len(raw) - 9, len(raw) - 1):
        path.write_bytes(raw[:length])
        refused(BenchbookError, "damaged", load, path)


def test_a_damaged_file_is_noticed_wherever_it_is_damaged(
    path: Path, zoo: dict[str, Predictive]
) -> None:
    """One byte in a hundred places; only within the checksum's own name is the damage harmless."""
    save(zoo["draws"], path)
    raw = path.read_bytes()
    name = raw.rindex(b"benchbook.sha256")
    harmless = set(range(name, name + 18))
    for index in generator(1, "damage").choice(len(raw), 100, replace=False):
        if int(index) in harmless:
            continue
        damaged = bytearray(raw)
        damaged[index] ^= 0x55
        path.write_bytes(damaged)
        refused(BenchbookError, r"was damaged after it was written \(wrong checksum\)", load, path)


def test_a_failed_write_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch, zoo: dict[str, Predictive]
) -> None:
    save(zoo["point"], path)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    refused(BenchbookError, "the disk is full", save, zoo["gaussian"], path)
    monkeypatch.undo()
    assert load(path) == zoo["point"]
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_saving_again_gives_the_same_bytes(path: Path, zoo: dict[str, Predictive]) -> None:
    save(zoo["mixture"], path)
    first = path.read_bytes()
    save(load(path), path)
    assert path.read_bytes() == first
