"""A kernel that is wanted by several test processes is compiled by one of them."""

import threading

import numba
import pytest


@pytest.fixture
def twins(tmp_path, monkeypatch):
    """One function, compiled twice over, and kept in one empty folder."""
    monkeypatch.setattr(numba.core.config, "CACHE_DIR", str(tmp_path))

    def twice(x):
        return x + x

    return [numba.njit(cache=True)(twice) for _ in range(2)]


def test_the_second_waits_for_the_first_and_reads_what_it_has_written(twins):
    first, second = twins
    argument, result = (numba.float64,), []
    assert first._cache.load_overload(argument, first.targetctx) is None
    other = threading.Thread(
        target=lambda: result.append(second._cache.load_overload(argument, second.targetctx))
    )
    other.start()
    other.join(0.3)
    assert other.is_alive()
    first.compile(argument)
    other.join(20)
    assert result[0] is not None
    assert (first(2.0), second(2.0)) == (4.0, 4.0)
    assert sum(first.stats.cache_misses.values()) == 1
    assert sum(second.stats.cache_misses.values()) == 0


def test_nobody_is_held_up_for_ever_by_one_that_failed(twins):
    first, second = twins
    first._cache._take()
    second._cache._take(wait=0.1)
    assert second(3) == 6
    assert sum(second.stats.cache_misses.values()) == 1
