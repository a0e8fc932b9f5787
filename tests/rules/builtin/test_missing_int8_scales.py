"""Tensors without an INT8 scale."""

from __future__ import annotations

from tests.raw_records import chain
from tests.rules.cases import finding, plan_of, reports
from tests.rules.planting import Planter, noted, whole
from trex.core.note import Note
from trex.rules.finding import Severity

RULE = "missing-int8-scales"


def test_missing_scales_are_a_warning_and_a_missing_calibration_an_error():
    scale = Note("no-scale-for-int8", "Missing scale and zero-point for tensor t (3 such messages)", "quantize it")
    found = finding(RULE, plan_of(chain("a"), notes=[scale]))
    assert found.severity is Severity.WARNING and found.fix[0] == "quantize it"
    none = Note("no-calibration", "Calibrator is not being used. Users must provide dynamic range for all tensors")
    assert finding(RULE, plan_of(chain("a"), notes=[none])).severity is Severity.ERROR


def test_other_messages_are_none():
    assert reports(RULE, plan_of(chain("a"), notes=[Note("dla-fallback", "…")])) == []
    assert reports(RULE, plan_of(chain("a"))) == []


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = Planter(
    whole(noted("no-scale-for-int8", "Missing scale and zero-point for tensor t")),
    whole(noted("dla-fallback", "…")),
)
