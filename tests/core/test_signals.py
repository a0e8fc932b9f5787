"""Signals go somewhere else for a while."""

from __future__ import annotations

import os
import signal

import pytest

from trex.core.signals import signals_to

pytestmark = pytest.mark.skipif(os.name == "nt", reason="other signals")


@pytest.mark.parametrize("is_once", [False, True])
def test_the_second_one_is_as_before_if_only_one_is_wanted(is_once):
    came = []
    before = signal.signal(signal.SIGTERM, lambda *_: came.append("before"))
    try:
        with signals_to(lambda number: came.append(number.name), is_once=is_once):
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGTERM)
        assert came == ["SIGTERM", "before" if is_once else "SIGTERM"]
        signal.raise_signal(signal.SIGTERM)
        assert came[2:] == ["before"]
    finally:
        signal.signal(signal.SIGTERM, before)
