"""The forest scene: images differ, and a new image is another question than a new pixel."""

import numpy as np
import pytest

from benchbook import datasets, tasks
from benchbook.datasets.families import find
from benchbook.datasets.families.forest import NAME, OFFSET, images


@pytest.fixture(scope="module")
def scene():
    return datasets.load(NAME).cases


def test_the_sizes_are_the_reports(scene):
    assert scene.shape == (4800, 86)
    assert scene["image"].value_counts()["count"].to_list() == [100] * 48
    assert set(scene["class"]) == {"tree", "background"}


def test_images_differ_in_light_and_in_their_share_of_trees(scene):
    """Means of 100 pixels spread more between images than pixels alone would make them; so do shares of trees."""
    by_image = scene.select("image", "gabor1").group_by("image").mean()
    own = scene["gabor1"].var() / 100
    assert by_image["gabor1"].var() > 10 * own
    trees = scene.select("image", tree=scene["class"] == "tree").group_by("image").mean()["tree"]
    assert trees.std() > 3 * np.sqrt(0.25 / 100)


def test_new_images_bring_new_offsets():
    """Given all that the features could say, the log odds keep the variance of the offset, image by image."""
    features, tree = images(300, np.random.default_rng(1))
    inputs = np.column_stack([np.zeros(len(features)), features])
    guessed = find(NAME).clean(NAME, inputs)
    left = np.log(tree / (1 - tree)) - np.log(guessed / (1 - guessed))
    assert left.reshape(300, 100).mean(axis=1).std() == pytest.approx(OFFSET, rel=0.15)
    assert np.corrcoef(tree, guessed)[0, 1] > 0.7


def test_folds_keep_images_whole_and_leave_the_number_out():
    task = tasks.get(f"{NAME}/cv/grouped-8")
    image = datasets.load(NAME).cases["image"].to_numpy()[task.places]
    for fold in range(8):
        assert len(set(image[task.labels() == fold])) == 6
    assert task.instance(0).train_inputs.shape == (4200, 84)
    assert tasks.get(f"{NAME}/cv-18/random-8").instance(8).train_inputs.shape == (4800, 18)
