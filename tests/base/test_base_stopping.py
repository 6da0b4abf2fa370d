"""Being asked to stop is told from what somebody else's code raises."""

import signal
import threading

import pytest

from benchbook import stopping
from benchbook.stopping import Stopped, guarded, stoppable, undivided


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_raises_stopped_inside_the_block_and_the_handlers_are_put_back(number):
    before = signal.getsignal(number)
    with pytest.raises(Stopped) as caught, stoppable():
        signal.raise_signal(number)
    assert caught.value.number == number
    assert isinstance(caught.value, KeyboardInterrupt)
    assert signal.getsignal(number) is before


def test_a_second_signal_at_once_is_the_same_request_and_a_later_one_another(monkeypatch):
    with stoppable():
        with pytest.raises(Stopped):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
    with pytest.raises(Stopped) as caught, stoppable():  # nothing of it is left for the next
        signal.raise_signal(signal.SIGTERM)
    assert caught.value.number == signal.SIGTERM
    monkeypatch.setattr(stopping, "SAME", -1.0)
    with stoppable():
        for _ in range(2):  # somebody's code that goes on after the first
            with pytest.raises(Stopped):
                signal.raise_signal(signal.SIGINT)


def test_a_handler_of_somebody_else_stays():
    seen = []
    before = signal.signal(signal.SIGTERM, lambda *arguments: seen.append(arguments[0]))
    try:
        own = signal.getsignal(signal.SIGTERM)
        with stoppable():
            signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is own
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [signal.SIGTERM]


ERRORS = [KeyboardInterrupt("own"), SystemExit(3), GeneratorExit(), BaseException("b"), OSError()]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_what_a_strangers_code_raises_is_a_failure(error):
    with (
        pytest.raises(RuntimeError, match=type(error).__name__),
        guarded(lambda one: RuntimeError(type(one).__name__)),
    ):
        raise error


def test_an_error_that_is_to_pass_is_raised_as_it_was():
    error = OSError("as it was")
    with pytest.raises(OSError, match="as it was") as caught, guarded(lambda one: one):
        raise error
    assert (caught.value, error.__cause__) == (error, None)


def test_a_true_interrupt_passes():
    with pytest.raises(Stopped), guarded(RuntimeError):
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_by_another_handler_passes_as_it_may_be_the_users():
    before = signal.signal(signal.SIGINT, lambda *arguments: signal.default_int_handler(*arguments))
    try:
        with pytest.raises(KeyboardInterrupt), guarded(RuntimeError):
            raise KeyboardInterrupt
    finally:
        signal.signal(signal.SIGINT, before)


def test_outside_the_main_thread_an_interrupt_is_the_codes_own():
    failed = []

    def work():
        try:
            with guarded(lambda error: RuntimeError("its own")):
                raise KeyboardInterrupt
        except RuntimeError as error:
            failed.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert failed == ["its own"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_must_not_be_divided_is_done_before_the_stop(number):
    finished = []

    @stoppable()
    def work():
        with undivided():
            signal.raise_signal(number)
            finished.append("written")
            finished.append("counted")
        finished.append("the next")

    @stoppable()
    def at_once():
        signal.raise_signal(number)
        finished.append("more")

    with pytest.raises(Stopped) as stop:
        work()
    assert stop.value.number == number
    with pytest.raises(Stopped):
        at_once()
    assert finished == ["written", "counted"]
