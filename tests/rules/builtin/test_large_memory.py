"""Engines that take much memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.factories import t
from tests.raw_records import chain, layer, tensor
from tests.rules.cases import finding, only_unchecked, plan_of, reports
from tests.rules.planting import Ground, Planter, whole
from trex.core.tensor import Binding, ShapeRange

RULE = "large-memory"
MIB = 1 << 20


def large(device_mib: float | None, streams: int = 1):
    """x → a → big (512 MiB of FP16) → b → y (512 MiB)."""
    wide = (1, 256, 1024, 1024)
    records = [layer("a", inputs=["x"], outputs=[tensor("big", wide)]), layer("b", inputs=[tensor("big", wide)])]
    records[1]["Outputs"] = [tensor("y", wide)]
    device = {} if device_mib is None else {"Device Global Memory": f"{device_mib} MiB"}
    return plan_of(records, device=device, run={"Inference Streams": str(streams)})


def test_much_of_the_device_is_reported():
    found = finding(RULE, large(1200))
    values = {each.what: each.value for each in found.evidence}
    assert values["peak activations"] == 512 * MIB  # big; y is the caller's
    assert found.layers == (0,) and not found.savings
    assert "85 %" in found.message  # big and y: 1024 / 1200


def test_each_stream_has_a_context():
    assert reports(RULE, large(4000)) == []
    found = finding(RULE, large(4000, streams=3))
    assert "of 3 contexts" in found.message and "77 %" in found.message  # 3 · 1024 / 4000


@pytest.mark.parametrize(
    ("budget", "built", "resident"),
    [
        (None, {}, 1024), ("Disabled", {}, 1024), ("100.000000%", {"Weight Streaming": "Disabled"}, 1024),
        ("10%", {"Weight Streaming": "Disabled"}, 1024), ("100.000000%", {}, 1024), ("50%", {}, 512),
        (f"{256 * MIB} bytes", {}, 256), (-2, {}, 1024),
    ],
)  # fmt: skip
def test_streamed_weights_are_not_on_the_device(budget, built, resident):
    found = finding(RULE, storing(1024, budget, built))
    assert {each.what: each.value for each in found.evidence}["weights"] == resident * MIB
    assert ("smaller --weightStreamingBudget" in found.fix[-1]) is (resident < 1024)


def test_an_automatic_budget_is_not_checked():
    assert "streams weights" in only_unchecked(RULE, storing(1024, "Automatic", {"Weight Streaming": "Enabled"})).reason
    assert reports(RULE, storing(1024, "0%", {"Weight Streaming": "Enabled"}, 80_000)) == []


def storing(weights_mib, budget, built, device_mib=128):
    """x → a → y of 64 MiB, with weights."""
    half = (1, 32, 1024, 1024)
    record = layer("a", inputs=[tensor("x", (1, 8))], outputs=[tensor("y", half)])
    record["Weights"] = {"Type": "Half", "Count": weights_mib * MIB // 2}
    run = {} if budget is None else {"Weight Streaming Budget": budget}
    return plan_of([record], device={"Device Global Memory": f"{device_mib} MiB"}, run=run, build=built)


def test_a_small_part_is_none():
    assert reports(RULE, large(80_000)) == []
    assert reports(RULE, plan_of(chain("a", "b"))) == []


def test_it_is_unchecked_of_a_device_whose_memory_is_not_known():
    unanswered = only_unchecked(RULE, huge())
    assert "size of the device's memory" in unanswered.reason


def huge():
    wide = (1, 256, 2048, 2048)
    return plan_of([layer("a", inputs=["x"], outputs=[tensor("y", wide)])])


def growing(low, optimum, high, told: bool = True):
    records = [
        layer("a", inputs=[tensor("x", (-1, 8, 4, 4))], outputs=[tensor("u", (-1, 8, 4, 4))]),
        layer("b", inputs=[tensor("u", (-1, 8, 4, 4))], outputs=[tensor("y", (-1, 8, 4, 4))]),
    ]
    ranges = (ShapeRange(low, optimum, high),) if told else ()
    bindings = [Binding("x", True, t("x", (None, 8, 4, 4)), ranges), Binding("y", False, t("y", (None, 8, 4, 4)))]
    return plan_of(records, bindings=bindings)


def test_a_peak_that_grows_with_the_largest_shapes_is_reported():
    plan = growing((1, 8, 4, 4), (2, 8, 4, 4), (64, 8, 4, 4))
    assert reports(RULE, plan) == []  # 16 KiB
    found = finding(RULE, plan, least=0.01)
    assert found.evidence[0].value == 64 * 256  # u: 8 · 4 · 4 FP16 values for each of the batch
    assert found.evidence[0].value / found.evidence[1].value == pytest.approx(32)
    assert reports(RULE, growing((1, 8, 4, 4), (32, 8, 4, 4), (64, 8, 4, 4)), least=0.01) == []


def test_it_is_unchecked_without_the_largest_shapes():
    assert "largest shapes" in only_unchecked(RULE, growing(None, None, None, told=False)).reason


def test_scratch_space_that_outweighs_the_activations():
    memory = {"activation_bytes": 512 * MIB, "scratch_bytes": 400 * MIB}
    found = finding(RULE, plan_of(chain("a"), memory=memory))
    assert "EDGE_MASK_CONVOLUTIONS" in found.fix[1]
    assert reports(RULE, plan_of(chain("a"), memory=memory | {"scratch_bytes": 64 * MIB})) == []


# ---- The defect that tests plant into engines, and its sound twin


PLANTED_MIB = 1 << 20


def device_memory(factor: float) -> Callable[[Ground], None]:
    """A device with so many times the memory that the largest layer reads and writes."""

    def change(ground: Ground) -> None:
        sizes = [[each.size_bytes or 0 for each in (*layer.inputs, *layer.outputs)] for layer in ground.layers]
        weights = sum(each.size_bytes or 0 for layer in ground.layers for each in layer.weights)
        ground.facts["Device Global Memory"] = f"{factor * (max(map(sum, sizes)) + weights) / PLANTED_MIB:.3f} MiB"

    return change


PLANTER = Planter(whole(device_memory(1.0)), whole(device_memory(100.0)))
