"""The way down that ``methods show`` prints is the way that a run takes, and it can be found by every method's name."""

import itertools
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from benchbook import methods
from benchbook.cli import app
from benchbook.errors import BenchbookError
from benchbook.methods.base import is_exploit
from benchbook.methods.conformance import _Bench, documented
from benchbook.methods.described import find
from benchbook.seeds import generator

OURS = methods.available()
# For methods with an extra see tests/methods/networks/nuts and test_methods_today.
RUN = [name for name in OURS if not methods.get(name).extra]
KERNELS = "benchbook.kernels."


def code_of(thing):
    thing = getattr(thing, "py_func", thing)
    return getattr(thing, "__func__", thing).__code__


def watch(method):
    """The code that a run executes, with the code that was being executed above it: {code: set of code above}."""
    above = {}

    def see(frame, event, _):
        if event == "call" and "benchbook" in frame.f_code.co_filename:
            callers, index = above.setdefault(frame.f_code, set()), frame.f_back
            while index is not None:
                callers.add(index.f_code)
                index = index.f_back

    bench = _Bench(method, sorted(method.kinds)[-1], 1)
    changes = (
        {"targets": np.rint(bench.targets)} if is_exploit(method.name) else {}
    )  # they need a grid to exploit
    instance = bench.instance("ordinary", **changes)
    method.predict(
        instance, generator(1)
    )  # kernels are compiled here, where nobody counts the compiler's calls
    sys.setprofile(see)
    try:
        method.predict(instance, generator(1))
    finally:
        sys.setprofile(None)
    return above


def kernels_below(kernel, seen=None):
    """The names of all kernels that a kernel calls."""
    seen = {kernel.py_func.__name__} if seen is None else seen
    for name in kernel.py_func.__code__.co_names:
        other = kernel.py_func.__globals__.get(name)
        if hasattr(other, "py_func") and name not in seen:
            seen.add(name)
            kernels_below(other, seen)
    return seen


@pytest.mark.parametrize("name", RUN)
def test_a_run_goes_the_way_that_is_printed(name, small_budget):
    method = methods.get(name)
    above = watch(method)
    last = code_of(getattr(method, "procedure", type(method).predict))
    for call in method.calls:
        if call.startswith(KERNELS):
            break
        code = code_of(find(call))
        assert code in above, f"{call} is not called"
        assert last in above[code], f"{call} is not called below the one before it"
        last = code
    kernels = [call for call in method.calls if call.startswith(KERNELS)]
    for first in kernels[:1]:
        room, _, name = first.removeprefix(KERNELS).partition(
            ":"
        )  # ``strip`` alone is a method of every text, too
        assert any({*room.split("."), name} <= set(code.co_names) for code in above), (
            f"nothing executed calls {first}"
        )
    for upper, lower in itertools.pairwise(kernels):
        assert lower.rpartition(":")[2] in kernels_below(find(upper)), (
            f"{upper} does not call {lower}"
        )
    assert method.calls == (
        *[call for call in method.calls if not call.startswith(KERNELS)],
        *kernels,
    )


@pytest.mark.parametrize("name", OURS)
def test_every_method_says_what_it_is_and_where_it_is_from(name):
    shown = methods.describe(methods.get(name))
    assert documented(methods.get(name)).passed
    assert all(index.line > 0 and "benchbook" in index.file for index in shown.calls)
    assert len(shown.calls) > 1
    assert not any("<locals>" in call.name for call in shown.calls), (
        "each has a name to be found by"
    )


def test_from_a_sampled_network_to_its_leapfrog_it_is_at_most_six_files():
    places = methods.describe(methods.get("mlp-mc-3")).calls
    assert len({position.file for position in places}) <= 6
    assert [position.name.rpartition(":")[2] for position in places[-2:]] == [
        "double_sweep",
        "kick_and_drift",
    ]
    assert (
        methods.describe(methods.get("mlp-mc-1")).calls[-2].name.endswith(":full_step")
    )  # all cases are one part


def test_a_way_that_leads_nowhere_is_refused():
    with pytest.raises(BenchbookError, match="module:function"):
        find("benchbook.methods.networks.early_stopping:no_such")


def test_the_command_prints_code_settings_and_source():
    shown = CliRunner().invoke(app, ["methods", "show", "mlp-bgd-1[hidden=30]"]).output
    assert "kernels/mlp.py:" in shown
    assert "R. M. Neal" in shown
    assert "Divide the training cases at random" in shown
    assert [line.split()[:2] for line in shown.splitlines() if line.startswith("hidden ")] == [
        ["hidden", "30"]
    ]
    bare = CliRunner().invoke(app, ["methods", "show", "lin-1"]).output
    assert "It has no settings." in bare
