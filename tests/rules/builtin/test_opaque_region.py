"""Regions that tell nothing of their inside."""

from __future__ import annotations

from tests.factories import layer
from tests.rules.cases import findings, on_round_device, unchecked
from tests.rules.planting import Parts, like, pair
from trex.core.tensor import Tensor

RULE = "opaque-region"


def region(name="{ForeignNode[a...b]}", **more):
    return layer(name, "Myelin", **more)


def test_most_of_the_time_inside():
    (found,) = findings(RULE, on_round_device(region(origins=("a", "b", "loop_1")), layer("rest"), ms=[6.0, 4.0]))
    assert "6 ms (60.0 % of time)" in found.message and found.severity is None and not found.savings
    assert {each.what: each.value for each in found.evidence}["ONNX operators inside"] == 3
    (found,) = findings(RULE, on_round_device(region(), layer("rest"), ms=[4.0, 6.0]))
    assert found.severity is None and found.about_ms == 4.0  # a warning, which no view leaves out


def test_loops_are_named():
    from dataclasses import replace

    from trex.core.layer import NameParts

    looped = replace(region(), name_parts=NameParts(("LoopOutput_3",), "foreign"))
    (found,) = findings(RULE, on_round_device(looped, ms=[1.0]))
    assert "unroll" in found.fix[0]


def test_a_region_of_one_operation_hides_nothing():
    from dataclasses import replace

    from trex.core.layer import NameParts

    only = replace(region("{ForeignNode[Identity_1]}"), name_parts=NameParts(("Identity_1",), "foreign"))
    assert not findings(RULE, on_round_device(only, ms=[1.0]))


def test_no_release_lists_what_runs_on_the_dla():
    part = layer("{ForeignNode[a...b]}", "DLA")
    (found,) = findings(RULE, on_round_device(part, layer("rest"), ms=[6.0, 4.0]))
    assert "without --useDLACore" in found.fix[0] and not any("TensorRT 10" in fix for fix in found.fix)
    (both,) = findings(RULE, on_round_device(part, region("{ForeignNode[c...d]}"), ms=[6.0, 4.0]))
    assert "TensorRT 10" in both.fix[0]


def test_a_fifth_of_the_time_is_worth_a_line():
    assert findings(RULE, on_round_device(region(), layer("rest"), ms=[2.8, 7.2]))
    assert not findings(RULE, on_round_device(region(), layer("rest"), ms=[1.9, 8.1]))


def test_a_small_region_or_none():
    assert not findings(RULE, on_round_device(region(), layer("rest"), ms=[1.0, 9.0]))
    assert not findings(RULE, on_round_device(layer("rest"), ms=[9.0]))


def test_without_times_only_an_engine_of_regions_is_opaque():
    (found,) = findings(RULE, on_round_device(region(), layer("a"), layer("b")))
    assert "1 region without details among 3 layers" in found.message
    many = [layer(f"l{number}") for number in range(10)]
    assert not findings(RULE, on_round_device(region(), *many))
    assert unchecked(RULE, on_round_device(region(), *many))[0].layers == (0,)


def test_a_region_without_a_time_is_unchecked():
    parts = [region(), region("{ForeignNode[c...d]}"), layer("rest")]
    (answer,) = unchecked(RULE, on_round_device(*parts, ms=[None, None, 1.0]))
    assert answer.layers == (0, 1) and "no time of 2 regions" in answer.reason
    engine = on_round_device(*parts, ms=[None, 1.0, 1.0])
    (found,), (answer,) = findings(RULE, engine), unchecked(RULE, engine)
    assert found.layers == (1,) and answer.layers == (0,) and "1 ms (50.0 % of time)" in found.message


# ---- The defect that tests plant into engines, and its sound twin


def planted_region(x: Tensor, bad: bool) -> Parts:
    made = layer("{ForeignNode[/a901.../b901]}", "Myelin", [x], [like(x, "m901")])
    return [(made, 2.0 if bad else 0.02)]


PLANTER = pair(planted_region)
