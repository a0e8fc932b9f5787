"""Signals wait until steps that belong together are done."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from trex.core.held_signals import signals_held


@pytest.mark.skipif(os.name == "nt", reason="other signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_delivered_when_all_is_done(number):
    done = []
    before = signal.signal(number, lambda *_: done.append("delivered"))
    try:
        with signals_held():
            signal.raise_signal(number)
            done.append("step")
        assert done == ["step", "delivered"]
        with pytest.raises(ZeroDivisionError), signals_held():
            raise ZeroDivisionError
        signal.raise_signal(number)
        assert done[2:] == ["delivered"]
        signal.signal(number, signal.SIG_IGN)
        with signals_held():
            signal.raise_signal(number)
        assert signal.getsignal(number) == signal.SIG_IGN and len(done) == 3
    finally:
        signal.signal(number, before)


def test_other_threads_hold_nothing():
    done = []

    def work():
        with signals_held():
            done.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [signal.getsignal(signal.SIGINT)]
