"""Posteriors in memory and in tables: what a column, a label and a fold stands for, by plain rules."""

import numpy as np
import polars as pl
import pytest
import scipy

from benchbook.assess import densities
from benchbook.assess.densities import draw_tables, matching, posterior_groups, posterior_losses
from benchbook.errors import FaultyInput

CASES = tuple("abcdefgh")
FOLD = np.array([0, 1, 1, 0, 2, 2, 0, 1])
TARGETS = np.linspace(-1.0, 1.0, 8)


def test_all_that_the_room_offers_is_there():
    assert all(getattr(densities, name) is not None for name in densities.__all__)
    assert sorted(densities.__all__) == sorted(set(densities.__all__))


@pytest.mark.parametrize(
    ("cases", "marked", "position"),
    [
        (["ab", "cd", "abcd"], [0, 1], 2),
        (["ab", "abcd", "cd"], [0, 2], 1),
        (["ab", "abcd"], [0], None),  # of two files either may be the fold
        (["ab", "cd", "abcd"], [0], None),
        (["ab", "cd"], [0, 1], None),
        (["ab", "cd", "abcd"], [], 2),
        (["abcd", "ab", "cd"], [], 0),
        (["ab", "bc", "abc"], [], None),
        (["ab", "cd", "abcde"], [], None),
        (["ab", "cd", "abc"], [], None),
        (["ab", "cd"], [], None),
        (["ab", "ab"], [], 0),
    ],
)
def test_the_posterior_of_all_cases_is_the_one_that_holds_those_of_the_folds(
    cases, marked, position
):
    posteriors = [
        densities.LogLikelihood(
            np.zeros((1, 1, len(names))),
            tuple(names),
            "y",
            coordinates=(("held_out", np.ones(len(names))),) if at in marked else (),
        )
        for at, names in enumerate(cases)
    ]
    assert densities.full_posterior(posteriors) == position


@pytest.mark.parametrize("way", ["labels", "coordinate", "own cases"])
def test_folds_are_put_together_in_whatever_order_their_cases_come(rng, way):
    values = rng.normal(-1.0, 0.2, (4, 2, 200, 8))  # three folds and all cases
    by_case = scipy.special.logsumexp(values.reshape(4, 400, 8), axis=1) - np.log(400)

    def posterior(number, order):
        marks = [("held_out", 1 * (FOLD[order] == number))] if way == "coordinate" else []
        labels = [*marks, ("site", np.array(list("xxyyzzxx"))[order])]
        names = tuple(CASES[at] for at in order)
        return densities.LogLikelihood(
            values[number][..., order], names, "y", TARGETS[order], coordinates=tuple(labels)
        )

    own = way == "own cases"
    orders = [rng.permutation(np.flatnonzero(k == FOLD) if own else 8) for k in range(3)]
    parts, full = [posterior(k, orders[k]) for k in range(3)], posterior(3, rng.permutation(8))
    given = {"folds": [f"f{k}" for k in FOLD[orders[0]]]} if way == "labels" else {}
    made = densities.assess_folds(parts, full, groups="site", replicates=50, seed=3, **given)
    order = [CASES.index(case) for case in made.cases]
    assert made.cases == full.cases
    assert made.fold.tolist() == FOLD[order].tolist()
    np.testing.assert_allclose(made.utilities, by_case[FOLD, np.arange(8)][order])
    assert made.targets.tolist() == TARGETS[order].tolist()
    assert made.member.tolist() == np.array([0, 0, 1, 1, 2, 2, 0, 0])[order].tolist()
    more = {"replicates": 50, "seed": 3, "groups": made.member}
    plain = densities.bayesian_bootstrap(made.utilities, **more)
    np.testing.assert_array_equal(made.expected.replicates, plain.replicates)
    assert (made.corrected is None) == own
    if not own:
        corrected = densities.bias_corrected_distribution(
            by_case[:3, order], by_case[3, order], FOLD[order], **more
        )
        np.testing.assert_allclose(
            made.corrected.corrected.replicates, corrected.corrected.replicates
        )
    bare = densities.assess_folds(parts, **given)
    first = [case for part in parts for case in part.cases]
    assert bare.cases == tuple(dict.fromkeys(first))
    assert (bare.corrected, bare.member) == (None, None)


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        (
            {"cases": "abx"},
            "case x: found not in the posterior of all cases; it must hold every case",
        ),
        ({"cases": "ab"}, "case c: found left out of 0 folds; every case must be left out of one"),
        (
            {"targets": [0.0, 1.0, 9.0]},
            "posterior 2: found target 2.0 at place 2 \\(1 differ\\); post",
        ),
        ({"folds": list("xyx")}, "labels: found 2 folds; there are 3 posteriors"),
    ],
)
def test_folds_that_do_not_fit_are_refused(wrong, fault):
    def posterior(cases, targets):
        values = np.zeros((1, 4, len(cases)))
        return densities.LogLikelihood(values, tuple(cases), "y", np.array(targets, dtype=float))

    cases = wrong.get("cases", "abc")
    parts = [posterior(cases, wrong.get("targets", [0, 1, 2])[: len(cases)])]
    parts += [posterior(name, [at]) for at, name in enumerate("de")] if "folds" in wrong else []
    parts += [posterior("d", [3])] * ("folds" not in wrong)
    full = posterior("abcd", [0, 1, 2, 3])
    with pytest.raises(FaultyInput, match=fault):
        densities.assess_folds(parts, full, folds=wrong.get("folds"))


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        ("2024-03-01T00:00:00", "2024-03-01"),
        ("2024-03-01T10:00:00", "2024-03-01T10:00:00"),
        ("2024-03-01T00:00:01", "2024-03-01T00:00:01"),
        ("2024-03-01T00:00:00.5", "2024-03-01T00:00:00.500000"),
        ("2024-03-01T00:00:00.000000001", "2024-03-01T00:00:00.000000001"),
    ],
)
def test_a_moment_is_written_as_fine_as_it_is(moment, text):
    assert matching.moment(np.datetime64(moment, "ns")) == text


class Array:
    """An array with named axes."""

    def __init__(self, values, dims, **coords):
        self.values, self.dims = np.asarray(values), dims
        self.coords = {name: Array(*each) for name, each in coords.items()}


def test_arrays_with_names_bring_cases_targets_predictions_and_labels(rng):
    values, drawn = rng.normal(size=(2, 3, 2, 8)), rng.normal(size=(3, 2, 8, 2))
    trace = rng.normal(size=(3, 2, 8))
    trace[2, 1] += 50.0
    days = np.array(["2024-03-01", "2024-03-02T12:00"], dtype="datetime64[s]")
    array = Array(
        values, ("site", "day", "chain", "draw"),
        site=([b"x", b"y"], ("site",)), day=([*days, days[0]], ("day",)),
        depth=(np.arange(6).reshape(3, 2), ("day", "site")), short=([1], ("day",)), whole=(3.0, ()),
        count=(range(8), ("draw",)),
    )  # fmt: skip
    data = {
        "log_likelihood": {"y": array},
        "posterior_predictive": {"other": Array(drawn, ("day", "chain", "draw", "site"))},
        "observed_data": {"y": Array(np.arange(6).reshape(3, 2), ("day", "site"))},
        "constant_data": {"kind": Array(["u", "v"], ("site",)), "flat": [1, 2]},
        "posterior": {
            "level": Array(trace, ("k", "chain", "draw")),
            "name": Array([["a"] * 8] * 2, ("chain", "draw")),
            "fixed": Array([1.0], ("k",)),
        },
    }
    made = densities.from_inference_data(data)
    np.testing.assert_array_equal(made.values, np.moveaxis(values, (2, 3), (0, 1)).reshape(2, 8, 6))
    assert made.cases == ("x, 2024-03-01", "x, 2024-03-02T12:00:00", "x, 2024-03-01", "y, 2024-03-01",
                          "y, 2024-03-02T12:00:00", "y, 2024-03-01")  # fmt: skip
    assert made.targets.tolist() == [0, 2, 4, 1, 3, 5]
    expected = np.transpose(drawn, (1, 2, 3, 0)).reshape(2, 8, 6)
    np.testing.assert_array_equal(made.predictions, expected)
    labels = {name: each.tolist() for name, each in made.coordinates}
    assert list(labels) == ["site", "day", "depth", "kind"]
    assert labels["depth"] == [0, 2, 4, 1, 3, 5]
    assert labels["kind"] == list("uuuvvv")
    assert [trace.name for trace in made.parameters] == ["level"]
    np.testing.assert_array_equal(made.parameters[0].values, np.moveaxis(trace, 0, 2))
    without = posterior_groups.from_groups(data, (), "here", predictions=False)
    assert without.predictions is None
    data["observed_data"] = {"a": array, "b": array}
    data["posterior"] = {"fixed": Array([1.0], ("k",))}
    other = densities.from_inference_data(data)
    assert (other.targets, other.parameters) == (None, ())
    data["log_likelihood"] = {"y": Array(np.zeros((2, 3)), ("draw", "site"))}
    with pytest.raises(FaultyInput, match="dimensions: found draw, site; chain must be among them"):
        densities.from_inference_data(data)


@pytest.mark.parametrize(
    ("column", "element"),
    [
        ("log_lik[3]", ("log_lik", "3")),
        ("log_lik.3", ("log_lik", "3")),
        ("y[1,2]", ("y", "1, 2")),
        ("y[1, 2]", ("y", "1, 2")),
        ("y.1.2", ("y", "1, 2")),
        ("y.1:2", ("y", "1, 2")),
        ("y", ("y", "")),
        ("3", ("3", "")),
        ("y1", ("y1", "")),
        ("('y', 3)", ("y", "3")),
        ("('y', 0, 'a')", ("y", "a")),
        ("('y', 0, 1, 2)", ("y", "0, 1, 2")),
        ("('y',)", ("('y',)", "")),
        ("(y", ("(y", "")),
        ("(y)", ("(y)", "")),
    ],
)
def test_a_column_is_of_a_variable(column, element):
    assert draw_tables._element(column) == element


@pytest.mark.parametrize(
    ("comments", "draws"),
    [
        ("save_warmup = 1", 0),
        ("save_warmup = 1|num_warmup = 7", 7),
        ("save_warmup = true|num_warmup = 7|thin = 2", 4),
        ("save_warmup = 1|num_warmup = 8 (Default)|thin = 2", 4),
        ("save_warmup = 0 (Default)|num_warmup = 7", 0),
        ("save_warmup = 1|num_warmup = many", 0),
        ("save_warmup = 1|num_warmup = 7|thin = 1.5", 0),
        ("save_warmup = 1|num_warmup = 7|thin = 0", 7),
        ("save_warmup = 1|nothing|num_warmup = 7", 7),
    ],
)
def test_the_warm_up_of_cmdstan_is_left_out(tmp_path, comments, draws):
    lines = [f"# {line}" for line in comments.split("|")]
    table = ["log_lik.1", *(f"-{at}" for at in range(1, 11)), "# num_warmup = 9"]
    (tmp_path / "p.csv").write_text("\n".join([*lines, *table]))
    made = densities.read_log_likelihood(tmp_path / "p.csv")
    assert made.values.ravel().tolist() == [-at for at in range(draws + 1, 11)]
    assert made.notes == (f"the first {draws} draws are left out: CmdStan's warm-up",) * (draws > 0)


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        ([0, 1, 2], True),
        ([1, 2, 3], True),
        ([2, 3, 4], False),
        ([1, 2, 1, 2], True),
        ([0, 1, 0, 1], True),
        ([1, 2, 3, 2], False),
        ([1, 3], False),
        (["a", "b"], True),
        ([1.0, None], False),
    ],
)
@pytest.mark.parametrize("name", ["", "index", "row", "mu"])
def test_an_index_counts(values, counts, name):
    frame = pl.DataFrame({name: values}, strict=False)
    assert draw_tables._counter(frame, name) == (counts and name != "mu")


@pytest.mark.parametrize("extra", [9, 10])
def test_what_is_no_case_is_named(tmp_path, extra):
    names = [".iteration", "lp__", *(f"other{at}" for at in range(extra - 2))]
    pl.DataFrame(
        {"case 1": [-1.0, -2.0], "2": [-3.0, -4.0], **dict.fromkeys(names, 0.5)}
    ).write_parquet(tmp_path / "p.PARQUET")
    made = densities.read_log_likelihood(tmp_path / "p.PARQUET")
    assert (made.cases, made.name) == (("case 1", "2"), "p")
    assert made.values.tolist() == [[[-1.0, -3.0], [-2.0, -4.0]]]
    listed = names[1:9]
    text = f"{', '.join(listed[:-1])} and {listed[-1]}{' and 1 more' * (extra > 9)}"
    assert made.notes == (
        f"parameters, whose chains are checked: {text}",
        "left out, as neither log likelihoods of cases nor parameters: .iteration",
    )
    assert made.parameters[0].values.shape == (1, 2, extra - 1)


@pytest.mark.parametrize(
    ("code", "loss"),
    [("S", (0.2 * 1 + 0.3 * 2 + 0.5 * 6 - 4.0) ** 2), ("A", 0.2), ("01L", 1.0), ("01L of 6", 0.0)],
)
def test_a_loss_is_of_the_weighted_draws(code, loss):
    drawn, weights = np.array([1, 2, 6]), np.array([0.2, 0.3, 0.5])
    target = 6 if code.endswith("6") else 4
    labels = np.array([1, 2, 4, 6]) if code.startswith("01L") else None
    asked = {item.code: item for item in densities.QUESTIONS.values()}[code.partition(" ")[0]]
    judge = posterior_losses.Judge(asked, np.array([target]), labels)
    assert judge.of(drawn, weights[None], 0) == pytest.approx([loss], abs=1e-12)


@pytest.mark.parametrize("numbered", [False, True])
def test_targets_and_predictions_are_written_and_read_again(tmp_path, rng, numbered):
    names = ("0", "1", "2") if numbered else ("x", "y", "1")
    values, drawn = rng.normal(size=(2, 2, 4, 3))
    given = densities.LogLikelihood(values, names, "z", np.array([1.0, 2.0, 4.0]), drawn)
    densities.write_log_likelihood(tmp_path / "p.nc", given)
    read = densities.read_log_likelihood(tmp_path / "p.nc")
    for actual, expected in (
        (read.values, values),
        (read.predictions, drawn),
        (read.targets, [1, 2, 4]),
    ):
        np.testing.assert_array_equal(actual, expected)
    assert (read.cases, read.name) == (names, "z")
    assert densities.read_log_likelihood(tmp_path / "p.nc", predictions=False).predictions is None
    with posterior_groups.xarray().open_datatree(tmp_path / "p.nc") as tree:
        assert tree["observed_data"].attrs == {"inference_library": "benchbook"}
