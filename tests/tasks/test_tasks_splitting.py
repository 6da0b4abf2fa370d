"""DELVE's splitting rule: hand-worked deals, and what holds for all of them."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchbook.errors import BenchbookError, FaultyInput
from benchbook.seeds import generator
from benchbook.tasks import Prototask, instance_count, ordered, split
from benchbook.tasks.user.design import FEWEST, design


def declared(**changes) -> Prototask:
    fields = dict(
        dataset="line",
        name="double",
        target="y",
        inputs=("x",),
        kind="real",
        test_set_size=11,
        test_set_selection="hierarchical",
        training_set_sizes=(3, 6),
        maximum_instances=4,
    )
    return Prototask(**{**fields, **changes})


def test_hierarchical_by_hand():
    order = np.arange(100, 130)
    dealt = split(declared(), 3, order)
    # Pool 100..110; 19 cases are left, 6 sets of 3 fit, 4 are allowed; blocks of floor(11/4) = 2, three are not used.
    assert [train.tolist() for train in dealt.train] == [
        [111, 112, 113],
        [114, 115, 116],
        [117, 118, 119],
        [120, 121, 122],
    ]
    assert [test.tolist() for test in dealt.test] == [
        [100, 101],
        [102, 103],
        [104, 105],
        [106, 107],
    ]


def test_common_by_hand():
    dealt = split(declared(test_set_selection="common", maximum_instances=9), 6, np.arange(30))
    assert [train.tolist() for train in dealt.train] == [
        [*range(11, 17)],
        [*range(17, 23)],
        [*range(23, 29)],
    ]
    assert all(test.tolist() == [*range(11)] for test in dealt.test)


def test_the_families_by_hand():
    kin = declared(
        test_set_size=4096, training_set_sizes=(64, 128, 256, 512, 1024), maximum_instances=8
    )
    dealt = {size: split(kin, size, np.arange(8192)) for size in kin.training_set_sizes}
    assert {size: item.instances for size, item in dealt.items()} == {
        64: 8,
        128: 8,
        256: 8,
        512: 8,
        1024: 4,
    }
    assert [len(dealt[size].test[0]) for size in (64, 512, 1024)] == [512, 512, 1024]
    assert dealt[128].train[3][[0, -1]].tolist() == [4096 + 3 * 128, 4096 + 4 * 128 - 1]
    assert dealt[1024].test[3][[0, -1]].tolist() == [3 * 1024, 4095]


@settings(deadline=None)
@given(
    cases=st.integers(2, 300),
    pool=st.integers(1, 200),
    size=st.integers(1, 60),
    most=st.integers(1, 12),
    scheme=st.sampled_from(["hierarchical", "common"]),
    seed=st.integers(0, 99),
)
def test_no_case_is_used_twice(cases, pool, size, most, scheme, seed):
    assume(cases >= pool + size)
    assume(scheme == "common" or min((cases - pool) // size, most) <= pool)
    prototask = declared(
        test_set_size=pool,
        test_set_selection=scheme,
        training_set_sizes=(size,),
        maximum_instances=most,
    )
    order = np.random.default_rng(seed).permutation(cases)
    dealt = split(prototask, size, order)
    assert dealt.instances == instance_count(prototask, size, cases) <= most
    trained = np.concatenate(dealt.train)
    tested = np.concatenate(dealt.test if scheme == "hierarchical" else dealt.test[:1])
    assert len(np.unique(np.concatenate([trained, tested]))) == len(trained) + len(tested)
    assert all(len(train) == size for train in dealt.train)
    assert len({len(test) for test in dealt.test}) == 1
    assert len(order[pool:]) - len(trained) < size or dealt.instances == most


def grouped(size: int = 3, pool: int = 4, **changes) -> Prototask:
    return declared(
        test_set_size=pool,
        test_set_selection="common",
        training_set_sizes=(size,),
        group=("g",),
        **changes,
    )


def test_groups_by_hand():
    groups = np.array([0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 4, 5, 5, 6, 6, 6])
    dealt = split(grouped(), 3, np.arange(20, 36), groups)
    # Pool 20..23 cuts group 1, whose case 24 is not used; group 2 is larger than a training set; 3, 4 and half of 5
    # fill the second; the last is a group of its own.
    assert [train.tolist() for train in dealt.train] == [[25, 26, 27], [29, 30, 31], [33, 34, 35]]
    assert dealt.test[0].tolist() == [20, 21, 22, 23]
    assert split(grouped(maximum_instances=2), 3, np.arange(20, 36), groups).instances == 2


@settings(deadline=None)
@given(
    lengths=st.lists(st.integers(1, 12), min_size=1, max_size=40),
    size=st.integers(1, 20),
    pool=st.integers(1, 60),
    most=st.integers(1, 12),
    scattered=st.booleans(),
    seed=st.integers(0, 99),
)
def test_no_group_is_in_two_training_sets_or_in_training_and_tests(
    lengths, size, pool, most, scattered, seed
):
    rng = np.random.default_rng(seed)
    groups = np.repeat(rng.permutation(len(lengths)), lengths)
    order = rng.permutation(len(groups))
    assume(len(groups) >= pool + size)
    groups = groups[order] if scattered else groups
    wanted, held_out = [], []
    for group in dict.fromkeys(groups[pool:].tolist()):
        held_out += [] if group in groups[:pool] else order[groups == group].tolist()
        if len(held_out) >= size:
            wanted, held_out = [*wanted, held_out[:size]], []
    prototask = grouped(size, pool, maximum_instances=most)
    if not wanted:
        with pytest.raises(
            BenchbookError, match=f"/std.{size} is larger than its data: the groups without"
        ):
            split(prototask, size, order, groups)
        return
    dealt = split(prototask, size, order, groups)
    assert [train.tolist() for train in dealt.train] == wanted[:most]
    assert all(test.tolist() == order[:pool].tolist() for test in dealt.test)
    of_case = dict(zip(order.tolist(), groups.tolist(), strict=True))
    parts = [{of_case[case] for case in part.tolist()} for part in (*dealt.train, dealt.test[0])]
    assert sum(map(len, parts)) == len(set().union(*parts))
    assert {len(train) for train in dealt.train} == {size}


@settings(deadline=None)
@given(lengths=st.lists(st.integers(1, 30), min_size=20, max_size=60))
def test_there_are_training_sets_without_a_common_group_for_every_size_of_a_design(lengths):
    assume(sum(lengths) >= FEWEST)
    groups = np.repeat(np.arange(len(lengths)), lengths)
    half = int(np.searchsorted(np.cumsum(lengths), len(groups) // 2)) + 1
    assume(10 * sum(lengths[half:]) > 3 * len(groups))
    assume(
        split(
            grouped(6, sum(lengths[:half]), maximum_instances=4), 6, np.arange(len(groups)), groups
        ).instances
        > 3
    )
    made = design(len(groups), np.array(lengths))
    assert groups[made.pool - 1] != groups[made.pool]
    for size in made.sizes:
        prototask = grouped(size, made.pool, maximum_instances=made.instances)
        assert 4 <= split(prototask, size, np.arange(len(groups)), groups).instances <= 8


def test_a_design_needs_groups_beside_the_tests():
    few = [*[2] * 17, 40, 30, 30]
    with pytest.raises(
        FaultyInput,
        match=r"beside those of the tests: found 2, with 60 cases; 4 training sets of 6 "
        "cases without a common group: name a column",
    ):
        design(134, np.array(few))
    assert design(147, np.array([*few, 7, 6])).sizes == (6,)


def test_limit_by_size():
    prototask = declared(maximum_instances={3: 2, 6: 1})
    assert (instance_count(prototask, 3, 30), instance_count(prototask, 6, 30)) == (2, 1)


def test_larger_than_the_data():
    with pytest.raises(
        BenchbookError, match=r"11 test cases and 6 training cases make 17, and line gives 16"
    ):
        split(declared(), 6, np.arange(16))
    assert split(declared(), 6, np.arange(17)).instances == 1


def test_more_instances_than_test_cases():
    with pytest.raises(BenchbookError, match="4 instances cannot share a test pool of 3 cases"):
        split(declared(test_set_size=3), 3, np.arange(30))


def test_retained_order():
    assert ordered(declared(), np.array([4, 2, 9])).tolist() == [4, 2, 9]


def test_random_order_is_a_permutation_by_name():
    positions = np.arange(50)
    first = ordered(declared(order="random"), positions)
    assert sorted(first) == positions.tolist()
    assert first.tolist() == ordered(declared(order="random"), positions).tolist()
    assert first.tolist() != ordered(declared(order="random", name="other"), positions).tolist()
    assert first.tolist() == generator(0, "order", "line", "double").permutation(50).tolist()


def test_random_order_golden():
    """Made by ``seeds.generator(0, "order", "line", "double").permutation(50)[:8]``; the same on every platform."""
    assert ordered(declared(order="random"), np.arange(50))[:8].tolist() == [
        44,
        28,
        18,
        14,
        37,
        0,
        39,
        24,
    ]


def test_order_from_a_file(tmp_path: Path):
    (tmp_path / "order").write_text("# ours\n2\n0\n\n1 # last\n")
    assert ordered(declared(order="order"), np.array([7, 8, 9]), tmp_path).tolist() == [9, 7, 8]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0\n1\n1\n", "1 more than once"),
        ("0\n1\n", "2 positions; one for each of the 3 cases"),
        ("0\n1\n3\n", "line 3: found '3'; a whole number from 0 to 2"),
        ("0\nx\n1\n", "line 2: found 'x'"),
    ],
)
def test_faulty_order_file(tmp_path: Path, text: str, said: str):
    (tmp_path / "order").write_text(text)
    with pytest.raises(FaultyInput, match=said):
        ordered(declared(order="order"), np.arange(3), tmp_path)


def test_missing_order_file(tmp_path: Path):
    with pytest.raises(BenchbookError, match="cannot be read: No such file"):
        ordered(declared(order="nowhere"), np.arange(3), tmp_path)


def test_every_fault_of_a_prototask_is_named():
    with pytest.raises(FaultyInput) as caught:
        declared(
            kind="number",
            test_set_size=0,
            test_set_selection="own",
            training_set_sizes=(),
            cases="some",
            inputs=("x", "y"),
            encodings={"z": "copy"},
            maximum_instances=0,
        )
    assert {fault.where for fault in caught.value.faults} == {
        "kind",
        "test-set-size",
        "test-set-selection",
        "training-set-sizes",
        "cases",
        "target",
        "encodings",
        "maximum-instances",
    }


def test_limit_for_every_size_is_wanted():
    with pytest.raises(FaultyInput, match=r"no entry for \[6\]"):
        declared(maximum_instances={3: 2})
