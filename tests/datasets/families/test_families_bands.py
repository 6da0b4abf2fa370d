"""All 24 members: DELVE's bands of noise and linearity, and canonical cases that do not change."""

from dataclasses import replace

import numpy as np
import pytest

from benchbook import datasets
from benchbook.datasets.families import available, bank, kin, pumadyn
from benchbook.datasets.families.bands import EXCEPTIONS, bands
from benchbook.errors import UnknownName

NOISE = {"m": (0.01, 0.05, "moderate"), "h": (0.25, 1.0, "high")}
LINEARITY = {"f": (0.0, 0.05, "fairly linear"), "n": (0.40, 1.0, "highly non-linear")}

DIGESTS = {
    "kin-32fh-sim": "09a938771bf8",
    "kin-32fm-sim": "c77069769766",
    "kin-32nh-sim": "3554656041a7",
    "kin-32nm-sim": "433fc632a867",
    "kin-8fh-sim": "ffbd2b2c8318",
    "kin-8fm-sim": "86f05d5ff50e",
    "kin-8nh-sim": "59494a4cd7ba",
    "kin-8nm-sim": "d6a55e9d4cc4",
    "pumadyn-32fh-sim": "d14dbb54da6e",
    "pumadyn-32fm-sim": "a382513fdbe8",
    "pumadyn-32nh-sim": "6666db4f29d8",
    "pumadyn-32nm-sim": "2e72bccd0d5f",
    "pumadyn-8fh-sim": "d795de723a2c",
    "pumadyn-8fm-sim": "112677b3689c",
    "pumadyn-8nh-sim": "fc5509ea5752",
    "pumadyn-8nm-sim": "73873378b1a9",
}


@pytest.fixture(scope="module")
def measured():
    return {name: bands(name) for name in available("DELVE")}


def test_there_are_three_families_of_eight():
    names = {
        f"{family}-{inputs}{linearity}{noise}-sim"
        for family in ("kin", "pumadyn", "bank")
        for inputs in (8, 32)
        for linearity in "fn"
        for noise in "mh"
    }
    assert set(available("DELVE")) == names


@pytest.mark.parametrize("name", available("DELVE"))
def test_every_member_keeps_its_band_of_noise(measured, name):
    low, high, word = NOISE[name[-5]]
    assert low <= measured[name].noise_share <= high
    assert (measured[name].noise, measured[name].noise_within) == (word, True)


@pytest.mark.parametrize("name", available("DELVE"))
def test_every_member_keeps_its_band_of_linearity_or_says_why_not(measured, name):
    result, (low, high, word) = measured[name], LINEARITY[name[-6]]
    assert result.linearity == word
    assert result.linearity_within is (low <= result.linear_residual <= high)
    assert result.linearity_within is (name not in EXCEPTIONS)
    assert bool(result.remark) is (name in EXCEPTIONS)


def test_linearity_and_noise_order_the_members(measured):
    """Even where a band is left, an n member is less linear than its f member, and an h member noisier."""
    for name in available("DELVE"):
        twin = name.replace("fm-", "nm-").replace("fh-", "nh-")
        if twin != name:
            assert measured[twin].linear_residual > 2 * measured[name].linear_residual
        twin = name.replace("m-sim", "h-sim")
        if twin != name:
            assert measured[twin].noise_share > 5 * measured[name].noise_share


def test_the_arithmetic_of_bank_32nh_is_right(measured):
    """A band that published numbers forbid: noise n and clean residual c leave n + (1 - n) c of the recorded target."""
    result = measured["bank-32nh-sim"]
    recorded = result.noise_share + (1 - result.noise_share) * result.linear_residual
    assert recorded == pytest.approx(0.466, abs=0.06)
    assert 0.25 + 0.75 * 0.40 > 0.466 + 0.06


@pytest.mark.parametrize(
    ("family", "name", "change", "noise", "linearity"),
    [
        (kin, "kin-8nm-sim", {"noise": 0.4}, False, True),
        (kin, "kin-8nm-sim", {"angle": np.pi / 8}, False, False),
        (pumadyn, "pumadyn-32fm-sim", {"noise": 0.0}, False, True),
        (bank, "bank-32nm-sim", {"softness": 9.0}, True, False),
        (bank, "bank-8nh-sim", {"attendance": (bank.ALL,) * 3, "visitors": 0.0}, False, False),
    ],
)
def test_other_constants_leave_the_bands(monkeypatch, family, name, change, noise, linearity):
    monkeypatch.setitem(family.LAWS, name, replace(family.LAWS[name], **change))
    result = bands(name, 1500)
    assert (result.noise_within, result.linearity_within) == (noise, linearity)


def test_numbers_kept_on_disk_are_not_those_of_other_constants(monkeypatch):
    before = bands("kin-8nm-sim", 400)
    monkeypatch.setitem(kin.LAWS, "kin-8nm-sim", replace(kin.LAWS["kin-8nm-sim"], noise=0.3))
    assert bands("kin-8nm-sim", 400).noise_share > 1.5 * before.noise_share


def test_the_same_bands_are_found_again_and_unknown_names_are_refused():
    assert bands("kin-8nm-sim", 400) == bands("kin-8nm-sim", 400)
    with pytest.raises(UnknownName, match="kin-8nm-sim"):
        bands("kin-8nm")


@pytest.mark.parametrize("name", DIGESTS)
def test_golden_digests_of_the_canonical_cases(name):
    """Made by ``datasets.load(name).digest``; archives are tied to them. Those of bank are beside its other tests."""
    assert datasets.load(name).digest.startswith(DIGESTS[name])
