"""Every method of ours passes the conformance suite; every planted fault fails the check that is meant to find it."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from benchbook import methods
from benchbook.errors import BenchbookError
from benchbook.methods import conformance
from benchbook.predictive import Categorical, Draws, Gaussian, Outputs
from benchbook.tasks import Scorer

UNSEEDED = np.random.default_rng()


def failed(method):
    return {
        result.name.removeprefix("real target: ")
        for result in methods.check(method)
        if not result.passed
    }


def made(function, **changes):
    function.__doc__ = "Has a fault."
    given = {"name": "planted", "description": "has a fault", "kinds": {"real"}, "source": "ours"}
    return methods.method(**given | changes)(function)


def line(inputs, targets, queries, mean=0.0, scale=1.0):
    """A sound little ridge regression, with room for faults."""
    design = np.column_stack([np.ones(len(inputs)), (inputs - mean) / scale])
    weights = np.linalg.solve(design.T @ design + 0.1 * np.eye(design.shape[1]), design.T @ targets)
    guess = np.column_stack([np.ones(len(queries)), (queries - mean) / scale]) @ weights
    return Gaussian(guess, np.ones(len(queries)))


# For methods with an extra see tests/methods/networks/nuts and test_methods_today.py; the architectures of PROBEN1's
# search differ in their numbers of units alone.
OURS = [
    name
    for name in methods.available()
    if not methods.get(name).extra and ("-search-" not in name or name.endswith(("-4+2l", "-32s")))
]
# On a small budget they are the methods without the b.
LONGER = ("mlp-mc-2b", "mlp-mc-2wb", "mlp-mc-3b", "mlp-mc-4b", "vl-gp-nb", "vl-gp-tb")


def passes_all(method):
    results = methods.check(method)
    assert [result for result in results if not result.passed] == []
    assert len(results) == 2 + 18 * len(method.kinds)
    assert len({result.name for result in results}) == len(results)
    assert all(result.message for result in results)


@pytest.mark.parametrize("name", [name for name in OURS if name not in LONGER])
def test_ours_pass_for_every_kind_they_declare(name, small_budget):
    passes_all(methods.get(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", OURS)
def test_ours_pass_with_all_the_time_they_take(name):
    """Vehtari and Lampinen's methods take minutes for an answer, and are cut short here too."""
    short = {"vl-gp": {"draws": 10, "warm": 10, "thin": 1}, "vl-mlp": {"passes": 2400}}
    few = next((few for start, few in short.items() if name.startswith(start)), {})
    passes_all(methods.variant(name, **few) if few else methods.get(name))


def test_notes_tell_a_method_with_chance_from_one_without():
    def note(method):
        return next(
            r.message for r in methods.check(method) if r.name == "real target: another seed"
        )

    assert note(methods.get("lin-1")) == "note: the seed does not matter"
    assert note(made(draws_for_each_test_case)).startswith(
        "note: another seed changes the answer by "
    )


def sound(instance, rng):
    return line(instance.train_inputs, instance.train_targets, instance.test_inputs)


def unseeded(instance, rng):
    shift = UNSEEDED.normal()
    return sound(instance, rng).affine(shift, 1.0)


def looks_at_all_test_inputs(instance, rng):
    mean, scale = instance.test_inputs.mean(axis=0), 1 + instance.test_inputs.std(axis=0)
    return line(instance.train_inputs, instance.train_targets, instance.test_inputs, mean, scale)


def answers_in_another_order(instance, rng):
    guess = sound(instance, rng)
    return guess.take(np.argsort(guess.mean()))


def draws_for_each_test_case(instance, rng):
    return Gaussian(rng.normal(size=len(instance.test_inputs)), np.ones(len(instance.test_inputs)))


def writes_into_the_inputs(instance, rng):
    instance.train_inputs[:] -= instance.train_inputs.mean(axis=0)
    return sound(instance, rng)


def forces_its_way_into_the_inputs(instance, rng):
    instance.test_inputs.flags.writeable = True
    guess = sound(instance, rng)
    instance.test_inputs[:] = 0
    return guess


def divides_by_the_deviation(instance, rng):
    inputs = instance.train_inputs
    return line(
        inputs,
        instance.train_targets,
        instance.test_inputs,
        inputs.mean(axis=0),
        inputs.std(axis=0),
    )


def needs_five_cases(instance, rng):
    portions = np.array_split(np.arange(len(instance.train_targets)), 5)
    return Gaussian(
        np.zeros(len(instance.test_inputs)),
        np.full(
            len(instance.test_inputs),
            min(1 / len(portion) for portion in portions if len(portion) > 0)
            if all(len(portion) for portion in portions)
            else np.nan,
        ),
    )


def wants_several_inputs(instance, rng):
    return Gaussian(instance.test_inputs[:, 1], np.ones(len(instance.test_inputs)))


def squeezes_the_answer(instance, rng):
    guess = sound(instance, rng).mean().squeeze()
    return Gaussian(guess, np.ones_like(guess))


def overflows(instance, rng):
    return Gaussian(np.exp(instance.test_inputs[:, 0]), np.ones(len(instance.test_inputs)))


def divides_by_a_square(instance, rng):
    norm = np.sum(instance.test_inputs**2, axis=1) ** 30
    return Gaussian(norm / norm, np.ones(len(instance.test_inputs)))


def interpolates(instance, rng):
    inputs = instance.train_inputs
    distance = np.sum((inputs[:, None] - inputs) ** 2, axis=2)
    if len(inputs) > len(np.unique(inputs, axis=0)):
        raise np.linalg.LinAlgError("Singular matrix")
    weights = np.linalg.solve(
        np.exp(-distance) + 1e-9 * np.eye(len(inputs)), instance.train_targets
    )
    near = np.exp(-np.sum((instance.test_inputs[:, None] - inputs) ** 2, axis=2))
    return Gaussian(near @ weights, np.ones(len(near)))


def residual_variance(instance, rng):
    guess = sound(instance, rng)
    spread = np.var(instance.train_targets)
    return Gaussian(
        guess.mean(), np.full(len(guess), spread if np.ptp(instance.train_targets) > 0 else -1.0)
    )


def fears_outliers(instance, rng):
    if np.abs(instance.train_targets).max() > 1000:
        raise ValueError("not today")
    return sound(instance, rng)


def keeps_the_training_cases(instance, rng, seen={}):  # noqa: B006
    """Learns from what other instances of the task had to learn from, too."""
    cases = seen.setdefault(instance.task.partition("/std")[0], {})
    cases[instance.number] = instance.train_inputs, instance.train_targets
    inputs, targets = map(
        np.concatenate, zip(*(cases[number] for number in sorted(cases)), strict=True)
    )
    return line(inputs, targets, instance.test_inputs)


def samples(instance, rng, guess=None):
    """Two hundred normal draws for each test case."""
    guess = sound(instance, rng) if guess is None else guess
    return Draws(guess.mean()[:, None] + 0.3 * rng.normal(size=(len(instance.test_inputs), 200)))


def samples_draw_by_draw(instance, rng):
    """As many, in the other order, so that every test case shares its stream with all others."""
    guess, cases = sound(instance, rng), len(instance.test_inputs)
    return Draws(guess.mean()[:, None] + 0.3 * rng.normal(size=(200, cases)).T)


def rejects_some(instance, rng):
    """A sampler that takes as many random numbers as it needs, so that the streams part for good."""
    guess = sound(instance, rng).mean()
    return Draws(
        np.array([[centre + 0.3 * until_positive(rng) for _ in range(50)] for centre in guess])
    )


def until_positive(rng):
    while (value := rng.normal()) < 0:
        pass
    return value


def samples_and_leans_on_the_others(instance, rng):
    return samples(
        instance, rng, sound(instance, rng).affine(1e-3 * float(instance.test_inputs.mean()), 1.0)
    )


def samples_and_rescales_by_the_others(instance, rng):
    drawn = samples(instance, rng).value
    spread = 1 + 0.01 * np.std(instance.test_inputs)
    return Draws(
        drawn.mean(axis=1, keepdims=True) + spread * (drawn - drawn.mean(axis=1, keepdims=True))
    )


def samples_and_reverses(instance, rng):
    return samples(instance, rng).take(np.arange(len(instance.test_inputs))[::-1])


@pytest.mark.parametrize(
    "function", [sound, samples, samples_draw_by_draw, rejects_some, draws_for_each_test_case]
)
def test_a_sound_little_method_passes(function):
    assert failed(made(function)) == set()


@pytest.mark.parametrize(
    ("function", "fewest", "most"),
    [(samples, 0, 0), (rejects_some, 0, 0), (samples_and_leans_on_the_others, 10, 10)],
)
def test_the_paired_test_fails_the_leak_and_not_the_sampler(function, fewest, most):
    """Ten benches each: what is tested at a level of one in a thousand does not fail by chance, and a leak always."""

    def fails(seed):
        results = methods.check(made(function), seed)
        return not next(
            result
            for result in results
            if result.name == "real target: no look at other test cases"
        ).passed

    assert fewest <= sum(map(fails, range(10))) <= most


@pytest.mark.parametrize(
    ("function", "checks"),
    [
        (unseeded, {"same seed, same answer"}),
        (keeps_the_training_cases, {"nothing kept"}),
        (samples_and_leans_on_the_others, {"no look at other test cases"}),
        (samples_and_rescales_by_the_others, {"no look at other test cases"}),
        (samples_and_reverses, {"no look at other test cases"}),
        (looks_at_all_test_inputs, {"no look at other test cases"}),
        (answers_in_another_order, {"no look at other test cases", "order of test cases"}),
        (divides_by_the_deviation, {"constant input column"}),
        (needs_five_cases, {"two training cases"}),
        (wants_several_inputs, {"one input"}),
        (squeezes_the_answer, {"one test case"}),
        (overflows, {"huge inputs", "outlier"}),
        (divides_by_a_square, {"huge inputs", "tiny inputs"}),
        (interpolates, {"duplicated case"}),
        (residual_variance, {"constant target"}),
        (fears_outliers, {"outlier"}),
    ],
)
def test_a_planted_fault_fails_its_check_and_no_unrelated_one(function, checks):
    assert failed(made(function)) == checks


def rescored(self, prediction, codes=None):
    return dict.fromkeys(codes or (), np.zeros(len(prediction)))


def makes_all_losses_zero(instance, rng):
    Scorer.losses = rescored
    return sound(instance, rng)


def test_a_method_that_changes_the_scoring_is_found_and_undone():
    before = Scorer.losses
    assert failed(made(makes_all_losses_zero)) == {"package as it was"}
    Scorer.losses = before  # the other checks call the method too


@pytest.mark.parametrize("function", [writes_into_the_inputs, forces_its_way_into_the_inputs])
def test_writing_into_the_instance_is_explained(function):
    results = methods.check(made(function))
    first = next(result for result in results if result.name == "real target: answers")
    assert not first.passed
    assert "work on a copy, instance.train_inputs.copy()" in first.message


def test_memory_from_call_to_call_is_found():
    calls = itertools.count()
    assert "same seed, same answer" in failed(
        made(lambda i, r: sound(i, r).affine(float(next(calls)), 1.0))
    )


def test_a_class_method_with_too_few_columns():
    def seen_classes_only(instance, rng):
        seen = len(np.unique(instance.train_targets))
        return Categorical(np.full((len(instance.test_inputs), seen), 1 / seen))

    results = methods.check(made(seen_classes_only, kinds={"class"}))
    assert {r.name for r in results if not r.passed} == {
        "class target: two training cases",
        "class target: constant target",
    }
    assert any(
        "probabilities of 2 classes, the target has 3: a, b, c" in r.message for r in results
    )


def test_what_cannot_be_declared_ends_the_suite():
    class Nameless:
        name, description, kinds = "no name", "", frozenset({"real"})

        def predict(self, instance, rng):
            return None

    results = methods.check(Nameless())
    assert [result.passed for result in results] == [False]
    assert "letters, digits" in results[0].message
    described = methods.check(made(sound, description=" "))
    assert "say in one sentence" in described[0].message


def answer_of(instance, rng):
    """An answer of each kind that says nothing, and what was asked."""
    count = len(instance.test_inputs)
    if instance.kind == "real":
        return Gaussian(np.zeros(count), np.ones(count))
    shares = np.full(
        (count, instance.train_targets.shape[-1] if instance.kind == "outputs" else 3), 1 / 3
    )
    return Outputs(shares) if instance.kind == "outputs" else Categorical(shares)


@pytest.mark.parametrize("kind", ["class", "outputs", "real"])
def test_each_check_asks_what_its_name_says(kind):
    """Every instance of the suite by the name of its task, held against the ordinary one."""
    asked = {}

    def recorded(instance, rng):
        asked.setdefault(instance.task.split("/")[1], instance)
        return answer_of(instance, rng)

    results = methods.check(made(recorded, kinds={kind}))
    assert all(result.passed for result in results)
    usual = asked.pop("ordinary")
    x, y, new = usual.train_inputs, usual.train_targets, usual.test_inputs
    assert (x.shape, new.shape, len(y)) == ((30, 3), (8, 3), 30)
    level = x @ [1.0, -0.7, 0.4]
    if kind == "real":
        assert 0.2 < np.std(y - level) < 0.4
        least, most = np.argmin(y), np.argmax(y)
    else:
        classes = y if kind == "class" else y.argmax(axis=1)
        assert [np.sum(classes == number) for number in range(3)] == [9, 12, 9]
        assert level[classes == 0].mean() < level[classes == 1].mean() < level[classes == 2].mean()
        least, most = asked["two-training-cases"].train_inputs @ [1.0, -0.7, 0.4]
        least, most = (int(np.flatnonzero(level == value)[0]) for value in (least, most))
        assert (classes[least], classes[most]) == (0, 2)
    flat = x.copy()
    flat[:, 1] = 2.0
    far, far_new, far_y = x.copy(), new.copy(), y.copy()
    far[0], far_new[0], far_new[1] = 1e4, 1e4, -1e4
    if kind == "real":
        far_y[1] = 1e4
    again = [0] * 10 + list(range(30))
    copies = y[again]
    copies[0] = y[least if np.array_equal(y[0], y[most]) else most]
    expected = {
        "another-task": (x[::2] / 2, y[::2], new),
        "few-test-cases": (x, y, new[[1, 4]]),
        "reversed-test-cases": (x, y, new[::-1]),
        "constant-input": (flat, y, new),
        "constant-target": (x, np.array([y[0]] * 30), new),
        "two-training-cases": (x[[least, most]], y[[least, most]], new),
        "one-input": (x[:, :1], y, new[:, :1]),
        "one-test-case": (x, y, new[:1]),
        "huge-inputs": (x * 1e6, y, new * 1e6),
        "tiny-inputs": (x / 1e6, y, new / 1e6),
        "duplicated-case": (x[again], copies, np.vstack([x[:1], new])),
        "outlier": (far, far_y, far_new),
        "instance-unchanged": (x, y, new),
        "package-as-it-was": (x, y, new),
    }
    shuffled = asked.pop("reordered-training-cases")
    order = [int(np.flatnonzero((x == row).all(axis=1))[0]) for row in shuffled.train_inputs]
    assert sorted(order) == list(range(30)) != order
    np.testing.assert_array_equal(shuffled.train_targets, y[order])
    assert asked.keys() == expected.keys()
    for name, parts in expected.items():
        given = (asked[name].train_inputs, asked[name].train_targets, asked[name].test_inputs)
        for array, wanted in zip(given, parts, strict=True):
            np.testing.assert_allclose(array, wanted, rtol=1e-12, err_msg=name)


@pytest.mark.parametrize(("factor", "moves"), [(0.995, False), (1.005, True)])
def test_a_leak_is_told_by_a_t_test_at_one_in_a_thousand_over_all_figures(
    factor, moves, monkeypatch
):
    """Three figures of one case, 32 seeds: the differences alternate by one about a mean."""
    mean = factor * stats.t.isf(1e-3 / 2 / 3, 31) / np.sqrt(31)
    steps = itertools.count()

    def answered(method, instance, rng):
        step, other = divmod(next(steps), 2)
        return Gaussian(np.array([other * (mean + (-1) ** step)]), np.ones(1)), None

    monkeypatch.setattr(conformance, "answer", answered)
    bench = conformance._Bench(made(sound), "real", 1)
    case = np.array([0])
    said = f"{mean:.2g} on average" if moves else None
    assert bench.systematic(case, bench.queries[:1], case) == said
    assert next(steps) == 64


@pytest.mark.parametrize("kind", ["outputs", "real"])
@pytest.mark.parametrize(
    "part",
    [
        "train_inputs",
        "train_targets",
        "test_inputs",
        "case_ids",
        "validation_inputs",
        "validation_targets",
    ],
)
def test_every_array_of_an_instance_is_watched(part, kind, monkeypatch):
    def changes(method, instance, rng):
        if hasattr(instance, part):
            object.__setattr__(instance, part, getattr(instance, part) + 1)

    monkeypatch.setattr(conformance, "answer", changes)
    bench = conformance._Bench(made(sound), kind, 1)
    if part.startswith("validation") and kind == "real":
        assert conformance._unchanged(bench) == "the instance is as it was"
    else:
        with pytest.raises(conformance._Failed, match=f"^the method wrote into {part}; the arrays"):
            conformance._unchanged(bench)


def test_a_program_is_tried_on_the_kinds_it_answers_and_on_all_when_it_answers_none():
    def refuses(name):
        raise BenchbookError("no")

    deaf, answers = SimpleNamespace(ask=refuses), SimpleNamespace(ask=lambda name: None)
    assert conformance._answered_kinds({"class": deaf, "real": deaf}).keys() == {"class", "real"}
    assert conformance._answered_kinds({"class": deaf, "real": answers}) == {"real": answers}
    assert conformance._kinds({"class": deaf, "real": deaf}) == "class targets and real targets"


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (Gaussian([1.0, -4.0], [1.0, 1.0]), 0.0),
        (Gaussian([1.0, -5.0], [1.0, 1.0]), 1 / 5),
        (Gaussian([1.0, -2.0], [1.0, 1.0]), 2 / 4),
        (Gaussian([1.0, -5.0], [1.0, 4.0]), 3 / 4),
        (Gaussian([1.0], [1.0]), np.inf),
        (Categorical([[0.5, 0.5], [0.5, 0.5]]), np.inf),
    ],
)
def test_a_difference_is_a_share_of_the_largest_number_of_both(other, expected):
    usual = Gaussian([1.0, -4.0], [1.0, 1.0])
    assert conformance._difference(usual, other) == expected
    assert conformance._difference(other, usual) == expected
