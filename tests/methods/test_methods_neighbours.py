"""knn-cv-1 against brute force, written out case by case."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor

from benchbook import methods
from benchbook.methods import neighbours


def ask(instance, rng):
    return methods.answer(methods.get("knn-cv-1"), instance, rng)


def others_by_distance(inputs, i):
    distance = np.sum((inputs - inputs[i]) ** 2, axis=1)
    distance[i] = np.inf
    return np.argsort(distance, kind="stable")[:-1]


def brute_error(inputs, targets, k):
    errors = [
        (targets[i] - targets[others_by_distance(inputs, i)[:k]].mean()) ** 2
        for i in range(len(targets))
    ]
    return np.mean(errors)


def brute_wrong(inputs, targets, classes, k):
    wrong = 0
    for i, own in enumerate(targets):
        rest = np.delete(targets, i)
        prior = [(np.sum(rest == c) + 1) / (len(rest) + classes) for c in range(classes)]
        near = targets[others_by_distance(inputs, i)[:k]]
        votes = [np.sum(near == c) + prior[c] for c in range(classes)]
        wrong += int(np.argmax(votes) != own)
    return wrong


def test_choice_of_k_for_real_targets(smooth, rng):
    inputs, targets = smooth.train_inputs, smooth.train_targets
    errors = [brute_error(inputs, targets, k) for k in range(1, 40)]
    prediction, diagnostics = ask(smooth, rng)
    assert diagnostics["neighbours"] == np.argmin(errors) + 1
    np.testing.assert_allclose(prediction.variance(), np.min(errors), rtol=1e-12)
    peer = KNeighborsRegressor(diagnostics["neighbours"]).fit(inputs, targets)
    np.testing.assert_allclose(prediction.mean(), peer.predict(smooth.test_inputs), rtol=1e-12)


def test_choice_of_k_for_classes(three_classes, rng):
    inputs, targets = three_classes.train_inputs, three_classes.train_targets
    wrong = [brute_wrong(inputs, targets, 3, k) for k in range(1, 60)]
    prediction, diagnostics = ask(three_classes, rng)
    k = diagnostics["neighbours"]
    assert k == np.argmin(wrong) + 1
    distance = np.sum((inputs - three_classes.test_inputs[0]) ** 2, axis=1)
    near = targets[np.argsort(distance)[:k]]
    prior = (np.bincount(targets, minlength=3) + 1) / 63
    expected = (np.bincount(near, minlength=3) + prior) / (k + 1)
    np.testing.assert_allclose(prediction.parameters["probability"][0], expected, rtol=1e-12)


def test_by_hand(make_instance, rng):
    """On a line with cases 0 0 | 10 10, k = 1 leaves no error out; at 9 the neighbour is one of the tens."""
    instance = make_instance([[0.0], [1.0], [10.0], [11.0]], [0, 0, 4, 4], [[9.0], [-3.0]])
    prediction, diagnostics = ask(instance, rng)
    assert diagnostics == {"neighbours": 1}
    assert prediction.mean().tolist() == [4.0, 0.0]


def test_pure_noise_asks_for_many_neighbours_and_a_step_for_few(make_instance, rng):
    inputs = rng.uniform(size=(400, 1))
    _, noise = ask(make_instance(inputs, rng.normal(size=400), inputs[:1]), rng)
    _, step = ask(make_instance(inputs, (np.floor(20 * inputs[:, 0]) % 2), inputs[:1]), rng)
    assert noise["neighbours"] > 40
    assert step["neighbours"] < 10


@pytest.mark.parametrize("numbers", [1, 130, 10_000])
def test_taking_few_cases_at_a_time_changes_nothing(
    smooth, three_classes, rng, monkeypatch, numbers
):
    whole = [ask(smooth, rng), ask(three_classes, rng)]
    monkeypatch.setattr(neighbours, "_CHUNK_NUMBERS", numbers)
    for instance, (prediction, diagnostics) in zip([smooth, three_classes], whole, strict=True):
        again, chosen = ask(instance, rng)
        assert chosen == diagnostics
        for name, value in prediction.parameters.items():
            np.testing.assert_allclose(again.parameters[name], value, rtol=1e-13)


def test_no_more_neighbours_than_the_limit(smooth, rng):
    _, diagnostics = methods.answer(methods.variant("knn-cv-1", most=2), smooth, rng)
    errors = [brute_error(smooth.train_inputs, smooth.train_targets, k) for k in (1, 2)]
    assert diagnostics["neighbours"] == np.argmin(errors) + 1


def test_a_case_is_not_its_own_neighbour_but_its_double_is(make_instance, rng):
    inputs, targets = rng.normal(size=(30, 2)), rng.normal(size=30)
    alone, _ = ask(make_instance(inputs, targets, inputs[:1]), rng)
    doubled, diagnostics = ask(
        make_instance(np.r_[inputs, inputs], np.r_[targets, targets], inputs[:1]), rng
    )
    assert diagnostics["neighbours"] == 1
    assert doubled.variance()[0] < 1e-5 < alone.variance()[0]
