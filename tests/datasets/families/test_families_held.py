"""Twelve cases of every simulated dataset, and what its law says of them: ``held.txt`` beside this file."""

from pathlib import Path

import numpy as np
import pytest
from printed import held, outcome

from benchbook import datasets
from benchbook.datasets import families
from benchbook.seeds import generator


@pytest.mark.parametrize(
    "name", [one for one in datasets.published() if datasets.card(one).simulated_here]
)
def test_what_a_law_makes(name):
    family = families.find(name)

    def made():
        inputs, targets = family.cases(name, 12, generator(1, name))
        drawn = family.draw(name, 12, generator(2, name))
        clean = family.clean(name, inputs)
        noisy = family.noisy(name, inputs, generator(3, name))
        law = family.truth and family.truth(name, inputs)
        said = law and [law.mean(), law.log_density(noisy), law.log_density(np.roll(noisy, 1))]
        return [inputs, targets, drawn, clean, noisy, said]

    held(Path(__file__).with_name("held.txt"), name, outcome(made))
