from __future__ import annotations

import gc

from trex.core import collector
from trex.core.collector import collector_paused


class Marker:
    pass


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


def test_nothing_stays_frozen():
    with collector_paused():
        pass
    assert gc.get_freeze_count() == 0


def test_loading_for_ever_does_not_keep_cycles_for_ever(monkeypatch):
    monkeypatch.setattr(collector, "_AGED_AT_MOST", 300_000)
    for _ in range(5):
        with collector_paused():
            kept = [[number] for number in range(100_000)]
            loop: list = [Marker()]
            loop.append(loop)
            del loop
        del kept
    looping = sum(type(item) is Marker for item in gc.get_objects())
    assert looping < 5


def test_a_small_load_leaves_the_collector_its_work():
    gc.collect()
    count = gc.get_count()[0]
    with collector_paused():
        kept = [[number] for number in range(200)]
    assert gc.get_count()[0] >= count + len(kept)
