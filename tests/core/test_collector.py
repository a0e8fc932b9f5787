from __future__ import annotations

import gc

import pytest

from trex.core import collector
from trex.core.collector import collector_paused


def test_pauses_and_switches_on_again():
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_switches_it_on_again():
    try:
        with collector_paused():
            raise ValueError
    except ValueError:
        pass
    assert gc.isenabled()


def test_what_was_off_stays_off():
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_garbage_made_meanwhile_is_still_collected():
    with collector_paused():
        loop: list = []
        loop.append(loop)
        number = id(loop)
        del loop
    gc.collect()
    assert all(id(item) != number or item != [item] for item in gc.get_objects())


def test_nothing_is_frozen() -> None:
    with collector_paused():
        kept = [[number] for number in range(50_000)]
    assert gc.get_freeze_count() == 0 and len(kept) == 50_000


def test_objects_age_only_in_a_process_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def young_after() -> int:
        gc.collect()
        with collector_paused():
            kept = [[number] for number in range(50_000)]
            return len(kept) and gc.get_count()[0]

    monkeypatch.setattr(collector, "_is_own_process", False)
    assert young_after() >= 50_000
    collector.use_own_process()
    with collector_paused():
        kept = [[number] for number in range(50_000)]
    assert gc.get_count()[0] < len(kept) and gc.get_freeze_count() == 0
