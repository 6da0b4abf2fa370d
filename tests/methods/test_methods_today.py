"""Learners of today's libraries by stand-ins for these: what they are asked for, and what becomes of their answers.

The libraries are an extra and are not installed for the tests; with them, `benchbook method check` passes for each.
"""

import sys
import types
from typing import ClassVar

import numpy as np
import pytest

from benchbook import methods
from benchbook.methods.extras import MissingExtra, version_of
from benchbook.methods.quantile_trees import LEVELS
from benchbook.methods.shared.leaves import fewest_cases
from benchbook.methods.today.rounds import Stopping, held_out
from benchbook.predictive import Gaussian, Point, Quantiles

TODAY = {
    "catboost-1": "catboost",
    "catboost-bagged-1": "catboost",
    "catboost-squared-1": "catboost",
    "catboost-stopped-1": "catboost",
    "lightgbm-bagged-1": "lightgbm",
    "lightgbm-quantiles-1": "lightgbm",
    "lightgbm-squared-1": "lightgbm",
    "ngboost-1": "ngboost",
    "ngboost-stopped-1": "ngboost",
    "xgboost-bagged-1": "xgboost",
    "xgboost-quantiles-1": "xgboost",
    "xgboost-squared-1": "xgboost",
}
BAGGED = tuple(name for name in TODAY if "bagged" in name)
BEST = 3  # rounds after which a stand-in is best on cases left out


class Learner:
    """Remembers what it was given, and answers with what the library's learner would: by the targets alone."""

    asked: ClassVar[list[dict]] = []
    fitted: ClassVar[list[tuple]] = []
    watched: ClassVar[list] = []
    best_val_loss_itr = BEST - 1
    base_models: ClassVar[list[int]] = [0] * 7  # rounds until it stopped
    learning_rate_ = 0.03

    def __init__(self, **settings):
        self.settings = settings
        Learner.asked.append(settings)

    def fit(self, inputs, targets, eval_set=None, use_best_model=None, **stopping):
        self.mean, self.sd, self.seen = float(targets.mean()), float(targets.std()), stopping
        assert eval_set is None or use_best_model is False or not self.uncertain
        patience = stopping.get("early_stopping_rounds", self.settings.get("early_stopping_rounds"))
        Learner.fitted.append((len(targets), patience))
        Learner.watched.append(eval_set)
        return self

    @property
    def uncertain(self):
        return self.settings.get("loss_function") == "RMSEWithUncertainty"

    def get_evals_result(self):
        rounds = np.arange(1, len(self.base_models) + 1)
        return {"validation": {"RMSEWithUncertainty": (1.0 + (rounds - BEST) ** 2).tolist()}}

    def predict(self, inputs):
        if "quantile_alpha" in self.settings:
            return (
                self.mean - self.sd * np.tile(self.settings["quantile_alpha"], (len(inputs), 1))
            ).astype(np.float32)
        if (
            "alpha" in self.settings
        ):  # quantiles that cross: the higher the level, the lower the answer
            return np.full(len(inputs), self.mean - self.sd * self.settings["alpha"])
        if self.settings.get("loss_function", "RMSE") == "RMSE":
            return np.full(len(inputs), self.mean)
        return np.tile([self.mean, self.sd**2], (len(inputs), 1))

    def pred_dist(self, inputs):
        return types.SimpleNamespace(
            loc=np.full(len(inputs), self.mean), scale=np.full(len(inputs), self.sd)
        )


@pytest.fixture
def libraries(monkeypatch):
    monkeypatch.setattr(Learner, "asked", [])
    monkeypatch.setattr(Learner, "fitted", [])
    monkeypatch.setattr(Learner, "watched", [])
    for library, learner in (
        ("catboost", "CatBoostRegressor"),
        ("lightgbm", "LGBMRegressor"),
        ("ngboost", "NGBRegressor"),
        ("xgboost", "XGBRegressor"),
    ):
        monkeypatch.setitem(
            sys.modules,
            library,
            types.SimpleNamespace(**{"__name__": library, "__version__": "9.9", learner: Learner}),
        )
    boosted = sys.modules["lightgbm"]
    boosted.Dataset = lambda inputs, targets: (inputs, targets)
    boosted.early_stopping = lambda patience, verbose: patience
    boosted.train = lambda settings, cases, num_boost_round, valid_sets, callbacks: Learner(
        iterations=num_boost_round, **settings
    ).fit(*cases, eval_set=valid_sets, early_stopping_rounds=callbacks[0])


def test_the_list_is_whole():
    assert {name for name in methods.available() if methods.get(name).extra == "today"} == set(
        TODAY
    )


@pytest.mark.parametrize(("name", "library"), TODAY.items())
def test_without_the_library_the_extra_is_named(name, library, smooth, rng, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        MissingExtra, match=rf"{name} needs {library}.*pip install 'benchbook\[today\]'"
    ):
        methods.get(name).predict(smooth, rng)


@pytest.mark.parametrize("name", ["catboost-1", "ngboost-1"])
def test_mean_and_variance_come_through_and_the_version_is_kept(name, smooth, rng, libraries):
    found, noted = methods.get(name).predict(smooth, rng)
    assert isinstance(found, Gaussian)
    np.testing.assert_allclose(found.mean(), smooth.train_targets.mean())
    np.testing.assert_allclose(found.variance(), smooth.train_targets.var())
    assert noted == {f"{TODAY[name]}_version": "9.9"}


def test_catboost_for_squared_error_states_no_variance(smooth, rng, libraries):
    found, noted = methods.get("catboost-squared-1").predict(smooth, rng)
    assert isinstance(found, Point)
    np.testing.assert_allclose(found.mean(), smooth.train_targets.mean())
    assert Learner.asked[0]["loss_function"] == "RMSE"
    assert "learning_rate" not in Learner.asked[0]  # the library chooses it by the cases
    assert noted == {"rate": 0.03, "catboost_version": "9.9"}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("lightgbm-squared-1", {"n_estimators": 100, "learning_rate": 0.1, "num_leaves": 31}),
        ("xgboost-squared-1", {"n_estimators": 100, "learning_rate": 0.3, "max_depth": 6}),
    ],
)
def test_a_library_for_squared_error_has_its_defaults(name, given, smooth, rng, libraries):
    found, noted = methods.get(name).predict(smooth, rng)
    assert isinstance(found, Point)
    np.testing.assert_allclose(found.mean(), smooth.train_targets.mean())
    assert given.items() <= Learner.asked[0].items()
    assert noted == {f"{TODAY[name]}_version": "9.9"}


def test_every_level_has_a_learner_and_crossings_are_sorted_away(smooth, rng, libraries):
    found, noted = methods.get("lightgbm-quantiles-1").predict(smooth, rng)
    assert [asked["alpha"] for asked in Learner.asked] == LEVELS.tolist()
    assert isinstance(found, Quantiles)
    assert (np.diff(found.quantile(LEVELS), axis=1) > 0).all()
    assert noted == {
        "crossed": 1.0,
        "leaf": fewest_cases(20, len(smooth.train_targets)),
        "lightgbm_version": "9.9",
    }
    assert {asked["min_child_samples"] for asked in Learner.asked} == {noted["leaf"]}


def test_one_learner_of_xgboost_has_every_level(smooth, rng, libraries):
    found, noted = methods.get("xgboost-quantiles-1").predict(smooth, rng)
    assert [asked["quantile_alpha"].tolist() for asked in Learner.asked] == [LEVELS.tolist()]
    assert (np.diff(found.quantile(LEVELS), axis=1) > 0).all()
    assert noted == {"crossed": 1.0, "xgboost_version": "9.9"}


@pytest.mark.parametrize("name", BAGGED)
def test_a_bag_has_a_model_for_each_fold_which_that_fold_stops(name, smooth, rng, libraries):
    found, noted = methods.variant(name, folds=4, rounds=9, patience=3).predict(smooth, rng)
    cases = len(smooth.train_targets)
    assert [asked.get("iterations", asked.get("n_estimators")) for asked in Learner.asked] == [
        9
    ] * 4
    assert {patience for _, patience in Learner.fitted} == {3}
    held = [part[0][1] if isinstance(part, list) else part[1] for part in Learner.watched]
    assert sorted(np.concatenate(held)) == sorted(smooth.train_targets)
    assert [count + len(part) for (count, _), part in zip(Learner.fitted, held, strict=True)] == [
        cases
    ] * 4
    means = [(smooth.train_targets.sum() - part.sum()) / (cases - len(part)) for part in held]
    np.testing.assert_allclose(
        found.mean(), np.mean(means)
    )  # a stand-in predicts the mean of what it saw
    errors = np.concatenate([part - mean for part, mean in zip(held, means, strict=True)])
    np.testing.assert_allclose(found.variance(), np.mean(errors**2))
    assert noted == {f"{TODAY[name]}_version": "9.9"}


@pytest.mark.parametrize(
    ("name", "rounds"),
    [("catboost-stopped-1", "iterations"), ("ngboost-stopped-1", "n_estimators")],
)
def test_a_fifth_stops_the_boosting_which_is_done_again_with_all_cases(
    name, rounds, smooth, rng, libraries
):
    found, noted = methods.variant(name, rounds=8).predict(smooth, rng)
    cases = len(smooth.train_targets)
    assert [asked[rounds] for asked in Learner.asked] == [8, BEST]
    assert Learner.fitted == [(cases - round(0.2 * cases), 50), (cases, None)]
    assert (noted["rounds"], noted["rounds_boosted"]) == (BEST, 7 + BEST)
    np.testing.assert_allclose(found.mean(), smooth.train_targets.mean())


@pytest.mark.parametrize(
    ("name", "rounds", "default"),
    [("catboost-stopped-1", "iterations", 1000), ("ngboost-stopped-1", "n_estimators", 500)],
)
def test_too_few_cases_to_hold_some_out_are_boosted_as_often_as_the_library_does(
    name, rounds, default, make_instance, rng, libraries
):
    methods.get(name).predict(
        make_instance(np.arange(9.0)[:, None], np.arange(9.0), np.zeros((1, 1))), rng
    )
    assert [asked[rounds] for asked in Learner.asked] == [default]


def test_cases_are_held_out_or_boosted_on(rng):
    kept, held = held_out(13, Stopping(), rng)
    assert (len(kept), len(held)) == (10, 3)
    assert sorted([*kept, *held]) == list(range(13))
    assert held_out(9, Stopping(), rng) is None


@pytest.mark.parametrize(
    ("leaf", "cases", "fewest"),
    [(20, 32, 5), (20, 64, 6), (20, 199, 19), (20, 1024, 20), (3, 2, 3)],
)
def test_leaves_are_a_tenth_of_few_cases_but_five_at_least_and_never_more_than_asked(
    leaf, cases, fewest
):
    assert fewest_cases(leaf, cases) == fewest


@pytest.mark.parametrize("name", ["boosting-conformal-1", "boosting-quantiles-1"])
def test_trees_make_no_constant_of_forty_cases(name, make_instance, rng):
    """Leaves of 20 did, when a third was set aside."""
    x = np.linspace(-1, 1, 42)[:, None]
    found = methods.get(name).predict(make_instance(x, x[:, 0], np.array([[-0.9], [0.9]])), rng)
    median = (found[0] if isinstance(found, tuple) else found).median()
    assert median[1] - median[0] > 0.5


class Tables:
    """What the library does without its weights, and with them: one column of quantiles a level."""

    there = True

    def __init__(self, **settings):
        assert settings["allow_auto_download"] is False

    def fit(self, inputs, targets):
        if not self.there:
            raise ValueError(
                "Checkpoint 'some.ckpt' not cached and automatic download is disabled."
            )
        if len(targets) < 3:
            raise ValueError("too few")
        self.targets = targets

    def predict(self, inputs, output_type, alphas):
        assert output_type == "quantiles"
        return np.tile(np.quantile(self.targets, alphas), (len(inputs), 1)).astype(np.float32)


@pytest.fixture
def tables(monkeypatch):
    made = type("Made", (Tables,), {})
    monkeypatch.setitem(
        sys.modules,
        "tabicl",
        types.SimpleNamespace(__name__="tabicl", __version__="9.9", TabICLRegressor=made),
    )
    return made


def test_a_pretrained_network_says_quantiles(smooth, rng, tables):
    found, noted = methods.get("tabicl-1").predict(smooth, rng)
    np.testing.assert_allclose(
        found.quantile([0.1, 0.5])[0], np.quantile(smooth.train_targets, [0.1, 0.5]), rtol=1e-6
    )
    assert noted == {"tabicl_version": "9.9"}


def test_without_library_or_weights_it_is_said_how_to_get_them(
    smooth, make_instance, rng, tables, monkeypatch
):
    tables.there = False
    with pytest.raises(MissingExtra, match=r"tabicl-1 needs the weights.*fetch them once"):
        methods.get("tabicl-1").predict(smooth, rng)
    tables.there = True
    with pytest.raises(ValueError, match="too few"):
        methods.get("tabicl-1").predict(
            make_instance(np.arange(2.0)[:, None], np.arange(2.0), np.zeros((1, 1))), rng
        )
    monkeypatch.setitem(sys.modules, "tabicl", None)
    with pytest.raises(
        MissingExtra, match=r"tabicl-1 needs tabicl.*pip install 'benchbook\[tables\]'"
    ):
        methods.get("tabicl-1").predict(smooth, rng)


@pytest.fixture
def kit(monkeypatch):
    """Stand-ins for pytabkit's learners, which say what they were given."""

    class Network:
        asked: ClassVar[list[dict]] = []

        def __init__(self, **settings):
            Network.asked.append(settings)

        def fit(self, inputs, targets):
            inputs[0], targets[0] = inputs[0], targets[0]  # arrays that may be written to
            self.mean = targets.mean()

        def predict(self, inputs):
            return np.full(len(inputs), self.mean, dtype=np.float32)

    monkeypatch.setitem(
        sys.modules,
        "pytabkit",
        types.SimpleNamespace(
            __name__="pytabkit",
            __version__="9.9",
            RealMLP_TD_Regressor=Network,
            TabM_D_Regressor=Network,
        ),
    )
    return Network


@pytest.mark.parametrize(
    ("name", "given"),
    [("realmlp-1", {"n_epochs": 256}), ("tabm-1", {"tabm_k": 32, "patience": 16})],
)
def test_a_network_for_tables_has_the_librarys_defaults_and_one_thread(name, given, smooth, kit):
    answers = [methods.get(name).predict(smooth, np.random.default_rng(seed)) for seed in (1, 1, 2)]
    found, noted = answers[0]
    assert isinstance(found, Point)
    np.testing.assert_allclose(found.mean(), smooth.train_targets.mean(), rtol=1e-6)
    assert noted == {"pytabkit_version": "9.9"}
    seeds = [asked.pop("random_state") for asked in kit.asked]
    assert seeds[0] == seeds[1] != seeds[2]
    assert kit.asked == [{"device": "cpu", "n_threads": 1, **given}] * 3


@pytest.mark.parametrize("name", ["realmlp-1", "tabm-1"])
def test_with_four_cases_a_network_for_tables_repeats_their_mean(
    name, make_instance, rng, kit, monkeypatch
):
    four = make_instance(np.arange(4.0)[:, None], np.arange(4.0), np.zeros((2, 1)))
    found, _ = methods.get(name).predict(four, rng)
    assert found.mean().tolist() == [1.5, 1.5]
    assert kit.asked == []
    monkeypatch.setitem(sys.modules, "pytabkit", None)
    with pytest.raises(
        MissingExtra, match=rf"{name} needs pytabkit.*pip install 'benchbook\[tables\]'"
    ):
        methods.get(name).predict(four, rng)


def test_a_library_without_a_version_of_its_own_has_that_of_its_package():
    assert version_of(types.SimpleNamespace(__name__="numpy")) == {"numpy_version": np.__version__}


@pytest.mark.parametrize("name", TODAY)
def test_all_chance_comes_from_the_seed(name, smooth, libraries):
    seeds = []
    for seed in (1, 1, 2):
        methods.get(name).predict(smooth, np.random.default_rng(seed))
        seeds.append(
            [
                next(asked[key] for key in ("random_state", "random_seed", "seed") if key in asked)
                for asked in Learner.asked
            ]
        )
        Learner.asked.clear()
    assert seeds[0] == seeds[1] != seeds[2]


def test_the_tree_of_ngboost_has_a_seed_of_its_own(smooth, rng, libraries):
    """The library's own default draws from numpy's global generator, which `benchbook method check` finds."""
    methods.get("ngboost-1").predict(smooth, rng)
    assert Learner.asked[0]["Base"].random_state is not None
    assert Learner.asked[0]["Base"].max_depth == 3


def test_settings_reach_the_library(smooth, rng, libraries):
    methods.variant("catboost-1", depth=2, rounds=7).predict(smooth, rng)
    methods.variant("ngboost-1", rounds=3, rate=0.5).predict(smooth, rng)
    assert (Learner.asked[0]["depth"], Learner.asked[0]["iterations"]) == (2, 7)
    assert (Learner.asked[1]["n_estimators"], Learner.asked[1]["learning_rate"]) == (3, 0.5)


def test_targets_that_are_all_equal_need_no_library_to_fit(make_instance, libraries, rng):
    one = make_instance(np.arange(6.0)[:, None], np.full(6, 4.0), np.zeros((2, 1)))
    for name in ("catboost-1", "catboost-squared-1", "catboost-stopped-1", *BAGGED):
        found, _ = methods.get(name).predict(one, rng)
        assert found.mean().tolist() == [4.0, 4.0]
    assert Learner.asked == []
