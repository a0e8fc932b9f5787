"""Layers that fell back from DLA to the GPU."""

from __future__ import annotations

import pytest

from tests.raw_records import chain, layer
from tests.rules.cases import finding, only_unchecked, plan_of, reports
from tests.rules.planting import Ground, Planter, noted, whole
from trex.core.note import Note

RULE = "dla-fallback"
NOTE = Note("dla-fallback", "Layer 'softmax' (SOFTMAX): Unsupported on DLA. Switching this layer's device type to GPU.")


def mixed(**keys):
    records = [
        layer("{ForeignNode[a...b]}", "DLA", ["x"], ["t"]),
        layer("copy", "Reformat", ["t"], ["u"]),
        layer("softmax", "SoftMax", ["u"], ["v"]),
        layer("other", "Reformat", ["v"], ["y"]),
    ]
    times = {"{ForeignNode[a...b]}": 1.0, "copy": 0.25, "softmax": 0.5, "other": 0.125}
    return plan_of(records, times, **keys)


def test_fallbacks_are_reported_with_the_time_of_the_copies():
    found = finding(RULE, mixed(notes=[NOTE]))
    assert "softmax" in found.message
    assert found.layers == (1,)  # the copy behind the DLA's part; the last one stands between GPU layers
    assert found.savings == pytest.approx({1: 0.25})


def test_engines_without_dla_are_none():
    assert reports(RULE, plan_of(chain("a", "b"))) == []
    assert reports(RULE, mixed(milestones={"engine_built_s": 3.0})) == []  # the log tells of no fallback


def test_it_is_unchecked_without_a_log():
    assert "no build log" in only_unchecked(RULE, mixed()).reason


# ---- The defect that tests plant into engines, and its sound twin


def fallback(ground: Ground) -> None:
    ground.notes.append(Note("dla-fallback", "Layer 'l' (SOFTMAX): Unsupported on DLA."))


PLANTER = Planter(whole(fallback), whole(noted("aux-streams-left-out", "…")))
