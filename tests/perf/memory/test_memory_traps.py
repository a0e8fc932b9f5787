"""What the original got wrong, in the figures of memory: sizes, values and weights of records."""

from __future__ import annotations

from typing import Any

import trex
from tests.raw_records import layer, tensor
from trex.perf.memory.plan_memory import Memory, memory_of

HALF, INT8 = "Half", "Int8"


def memory(records: list[dict[str, Any]]) -> Memory:
    return memory_of(trex.EnginePlan(records))


def steps(*tensors: dict[str, Any]) -> list[dict[str, Any]]:
    """Layers in a row: x → tensors … → y."""
    ends = [tensor("x", [4], HALF), *tensors, tensor("y", [4], HALF)]
    return [layer(f"l{i}", inputs=[ends[i]], outputs=[ends[i + 1]]) for i in range(len(ends) - 1)]


def test_a_dynamic_dimension_is_never_negative_memory() -> None:
    result = memory(steps(tensor("t", [-1, 8], HALF)))
    assert result.peak is None
    assert result.activations.unknown_count == 1


def test_a_dynamic_dimension_beside_known_ones_is_a_lower_bound() -> None:
    result = memory(steps(tensor("t", [-1, 8], HALF), tensor("u", [100], HALF)))
    assert result.is_lower_bound
    assert result.timeline.live_bytes.tolist() == [0, 200, 200]


def test_vectors_are_padded() -> None:
    four = "Four wide channel vectorized row major Int8 format"
    assert memory(steps(tensor("t", [1, 3, 224, 224], four))).timeline.peak_bytes == 4 * 224 * 224


def test_nibbles_are_rounded_up() -> None:
    assert memory(steps(tensor("t", [3], "Int4"))).timeline.peak_bytes == 2


def test_what_one_layer_writes_and_another_reads_counts_once() -> None:
    assert memory(steps(tensor("t", [64], HALF))).timeline.live_bytes.tolist() == [128, 128]


def test_stored_inputs_are_weights_and_not_live() -> None:
    t, weights = tensor("t", [1024, 32], HALF), tensor("__mye12_dconst", [64, 64], HALF)
    records = [
        layer("a", "kgen", [tensor("x", [4], HALF)], [t]),
        layer("g", "gemm", [t, weights], [tensor("y", [1024, 32], HALF)]),
    ]
    result = memory(records)
    assert result.timeline.peak_bytes == 64 * 1024
    assert result.stored.total.known == 8192


def test_branches_of_a_condition_share_one_value() -> None:
    """Failure 6: two producers of one tensor."""
    x, b, y = tensor("x", [4], HALF), tensor("b", [64], HALF), tensor("y", [4], HALF)
    result = memory([layer("then", inputs=[x], outputs=[b]), layer("else", inputs=[x], outputs=[b]),
                    layer("after", inputs=[b], outputs=[y])])  # fmt: skip
    assert result.timeline.live_bytes.tolist() == [128, 128, 128]


def test_a_name_that_is_used_again_is_another_value() -> None:
    """Failure 7: "Reformatted output2" under one name in two formats; not live between its two values."""
    o, p, q = (tensor(name, [size], HALF) for name, size in (("o", 100), ("p", 10), ("q", 10)))
    again = tensor("o", [50], INT8)
    result = memory(
        [
            layer("a", inputs=[tensor("x", [4], HALF)], outputs=[o]),
            layer("b", inputs=[o], outputs=[p]),
            layer("c", inputs=[p], outputs=[q]),
            layer("d", inputs=[q], outputs=[again]),
            layer("e", inputs=[again], outputs=[tensor("y", [4], HALF)]),
        ]
    )
    assert result.timeline.live_bytes.tolist() == [200, 220, 40, 70, 50]
