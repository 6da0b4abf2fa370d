"""Settings are listed, varied and refused by name; a variant is the method with those constants and no other."""

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from printed import held
from refusals import refused

from benchbook import methods
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.methods import settings
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.networks.early_stopping import BatchDescent
from benchbook.predictive import Point
from benchbook.seeds import generator

OURS = methods.available()
SPEC = "mlp-bgd-1[hidden=3,saves=(1,5,20)]"


@pytest.fixture
def instance(make_instance):
    draw = np.random.default_rng(3)
    inputs = draw.normal(size=(24, 2))
    return make_instance(
        inputs, inputs @ [1.0, -1.0] + 0.1 * draw.normal(size=24), draw.normal(size=(5, 2))
    )


def parameters(name, instance):
    return methods.answer(methods.get(name), instance, generator(1))[0].parameters


@dataclass(frozen=True)
class Inner:
    rate: float = methods.setting(0.1, "how fast", above=0)
    width: float = methods.setting(1.0, "how wide", least=0)


@dataclass(frozen=True)
class Outer:
    width: int = methods.setting(2, "how many", least=1)
    kind: str = methods.setting("a", "which", choices=("a", "b"))
    sizes: tuple[int, ...] = methods.setting((1, 2), "sizes", least=1)
    pair: tuple[float, float] = (0.0, 1.0)
    most: float | None = methods.setting(None, "bound", least=0)
    prior: Prior = methods.setting(Prior(1.0), "prior")
    loud: bool = False
    inner: Inner = Inner()


@methods.method(name="outer-1", settings=Outer(), source="ours", kinds={"real"})
def outer(instance, rng, chosen):
    """Predicts its own width."""
    return Point(np.full(len(instance.test_inputs), float(chosen.width)))


def test_settings_are_listed_with_those_of_inner_dataclasses():
    names = [item.name for item in settings.listed(Outer())]
    assert names == [
        "width",
        "kind",
        "sizes",
        "pair",
        "most",
        "prior",
        "loud",
        "rate",
        "inner.width",
    ]
    assert settings.listed(None) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"width": 5}, replace(Outer(), width=5)),
        ({"rate": 2}, replace(Outer(), inner=Inner(rate=2.0))),
        ({"inner.width": 0.0, "kind": "b"}, replace(Outer(), kind="b", inner=Inner(width=0.0))),
        ({"sizes": [3]}, replace(Outer(), sizes=(3,))),
        ({"most": 2}, replace(Outer(), most=2.0)),
        ({"prior": "x0.2:0.5:1"}, replace(Outer(), prior=Prior.parse("x0.2:0.5:1"))),
        ({"loud": True}, replace(Outer(), loud=True)),
        ({"width": np.int64(4)}, replace(Outer(), width=4)),
    ],
)
def test_a_change_is_made_where_it_belongs_and_nowhere_else(changes, expected):
    assert settings.changed("outer-1", Outer(), changes) == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"width": 0},
        {"width": 2.5},
        {"width": True},
        {"width": "2"},
        {"width": None},
        {"rate": 0.0},
        {"rate": -1},
        {"rate": math.nan},
        {"rate": math.inf},
        {"rate": "fast"},
        {"kind": "c"},
        {"kind": 1},
        {"sizes": []},
        {"sizes": 3},
        {"sizes": [0]},
        {"sizes": [1.5]},
        {"pair": (1.0,)},
        {"pair": (1.0, 2.0, 3.0)},
        {"most": -1},
        {"prior": "wide"},
        {"prior": -1},
        {"loud": 1},
        {"inner": 3},
        {"breadth": 1},
        {"inner.depth": 1},
        {"": 1},
    ],
)
def test_what_cannot_be_is_refused_with_the_list_of_what_can(changes):
    with pytest.raises(FaultyInput, match="outer-1") as caught:
        methods.variant(outer, **changes)
    assert all(
        item.name in str(caught.value) and item.allowed in str(caught.value)
        for item in settings.listed(Outer())
    )


def test_all_faults_are_told_at_once():
    with pytest.raises(FaultyInput) as caught:
        methods.variant("mlp-bgd-1", hidden=0, step=-1.0, hiden=3)
    assert [fault.where for fault in caught.value.faults] == ["hidden", "step", "hiden"]
    refused(FaultyInput, "must increase", methods.variant, "mlp-bgd-1", saves=(5, 1))
    refused(FaultyInput, "lin-1 has no settings", methods.variant, "lin-1", hidden=3)


def test_a_variant_computes_with_its_settings_and_leaves_the_method_alone(instance):
    other = methods.variant(outer, width=7)
    assert methods.answer(other, instance, generator(1))[0].value.tolist() == [7.0] * len(
        instance.test_inputs
    )
    assert outer.settings == Outer()
    assert methods.answer(outer, instance, generator(1))[0].value[0] == 2.0


def test_a_variant_with_the_same_settings_gives_the_same_answer_to_the_bit(instance):
    twin = methods.variant(
        methods.variant("mlp-bgd-1", saves=(1, 5, 20), hidden=3), hidden=3, name="twin"
    )
    first, two = (
        parameters(SPEC, instance),
        methods.answer(twin, instance, generator(1))[0].parameters,
    )
    assert all(np.array_equal(first[name], two[name]) for name in first)
    assert not np.array_equal(
        first["mean"], parameters("mlp-bgd-1[hidden=4,saves=(1,5,20)]", instance)["mean"]
    )


def test_the_name_of_a_variant_is_how_it_is_asked_for():
    made = methods.variant("mlp-bgd-1", saves=(1, 5, 20), hidden=3)
    assert made.name == SPEC
    assert methods.get(made.name).settings == made.settings
    assert methods.get(" mlp-bgd-1 [ hidden = 3 , saves = (1, 5, 20) ]".strip()).name == SPEC
    assert methods.variant(made, hidden=15, saves=BatchDescent().saves).name == "mlp-bgd-1"
    assert methods.get("mlp-bgd-1[hidden=30, name=wide]").name == "wide"
    assert methods.variant(made, step=0.2).name == "mlp-bgd-1[hidden=3,step=0.2,saves=(1,5,20)]"
    assert SPEC not in methods.available()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mlp-bgd-1[]", "no setting"),
        ("mlp-bgd-1[hidden]", "no name=value"),
        ("mlp-bgd-1[hidden=]", "no name=value"),
        ("mlp-bgd-1[hidden=3,hidden=4]", "twice"),
        ("mlp-bgd-9[hidden=3]", "unknown method"),
        ("mlp-bgd-1[name=3]", "found 3"),
        ("mlp-bgd-1[name=a b,hidden=3]", "name"),
        ("mlp-bgd-1[hidden=nan]", "nan"),
        ("mlp-bgd-1[hidden=1e999]", "inf"),
        ("mlp-bgd-1[hidden=1" + 400 * "0" + "]", "must be a whole number"),
        ("gp-mc-1[noise=1" + 400 * "0" + "]", "must be a number"),
        ("mlp-mc-3[noise=-1]", "must be a prior as text: width must be a positive number"),
        ("mlp-bgd-1[hidden=(((]", "hidden"),
    ],
)
def test_a_spec_that_says_nothing_is_refused(spec, message):
    refused(BenchbookError, message, methods.get, spec)


def test_a_variant_does_not_take_the_name_of_another_method():
    refused(BenchbookError, "give it another name", methods.get, "mlp-bgd-1[hidden=3, name=lin-1]")
    assert methods.get("mlp-bgd-1[hidden=15]") is methods.get("mlp-bgd-1")
    assert methods.get("forest-1[n_estimators=100]") is methods.get("forest-1")


def test_a_name_too_long_to_be_one_says_to_give_another():
    refused(FaultyInput, "name=", methods.variant, "mlp-bgd-1", saves=tuple(range(1, 60)))
    assert methods.variant("mlp-bgd-1", saves=tuple(range(1, 60)), name="dense").name == "dense"


def test_estimators_are_varied_by_their_parameters():
    small = methods.get("forest-1[n_estimators=3]")
    for kind in ("real", "class"):
        assert small.makers[kind]().n_estimators == 3
        assert methods.get("forest-1").makers[kind]().n_estimators == 100
    assert small.name == "forest-1[n_estimators=3]"
    refused(FaultyInput, "n_estimators = 100", methods.get, "forest-1[trees=3]")
    refused(FaultyInput, "finite", methods.variant, "forest-1", min_samples_leaf=math.nan)


@pytest.mark.parametrize("name", OURS)
def test_what_ours_say_of_themselves_is_held(name):
    """Targets, description, source, and each setting with its value, what it can be and its meaning."""
    method = methods.get(name)
    lines = [
        f"{', '.join(sorted(method.kinds))}: {method.description}",
        methods.describe(method).source,
    ]
    plain = settings.plain(method.settings)
    for item in settings.listed(method.settings):
        lines.append(f"{item.name} = {plain[item.name]}: {item.allowed}; {item.meaning}")
        assert item.meaning or item.name == "rule" or isinstance(method.settings, dict)
    held(Path(__file__).with_name("settings.txt"), name, "\n".join(lines) + "\n")
    assert json.loads(json.dumps(plain, default=str)) is not None


@pytest.mark.parametrize("name", OURS)
def test_the_settings_as_they_are_are_values_that_they_can_have(name):
    given = methods.get(name).settings
    if given is None or isinstance(given, dict):
        return
    same = {key: value for key, value in settings.plain(given).items() if key != "rule"}
    assert settings.changed(name, given, same) == given
    assert methods.variant(name, **same).name == name
