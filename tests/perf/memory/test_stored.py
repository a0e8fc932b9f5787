"""Weights in all and by type."""

from __future__ import annotations

from dataclasses import replace

from tests.factories import engine, layer, stored, t
from trex.core.data_type import DataType
from trex.core.layer import Layer, NameParts, Role, Weights
from trex.perf.memory.stored import stored_of
from trex.plan.memory import Bytes, weights_bytes


def holder(name: str, module: str, *kept: Weights) -> Layer:
    return layer(name, "Convolution", weights=kept, module=module)


def test_types_and_what_narrower_ones_would_save() -> None:
    # FP32: 100 · 4 = 400 B, in 16 bits 200 B; INT8: 101 B, in 4 bits ⌈50.5⌉ = 51 B, so 50 B less; biases stay.
    result = stored_of(
        engine(
            holder("a", "/a", stored("weights", "FP32", 100), stored("bias", "FP32", 7)),
            holder("b", "/b", stored("weights", "INT8", 101)),
        )
    )
    assert [(item.label, part.known_bytes, part.layers) for item, part in result.by_type.items()] == [
        ("FP32", 428, 1),
        ("INT8", 101, 1),
    ]
    assert [(n.data_type.label, n.to, n.size_bytes, n.saved_bytes) for n in result.narrowings] == [
        ("FP32", "FP16 or BF16", 400, 200),
        ("INT8", "FP4 or INT4", 101, 50),
    ]


def test_unknown_sizes_are_counted_not_summed() -> None:
    result = stored_of(engine(holder("a", "/a", stored("weights", "FP16", None), stored("weights", "FP16", 3))))
    assert result.total == Bytes(6, 1)
    assert result.by_type[DataType.FP16].unknown_count == 1


def test_shared_weights_are_the_first_layers() -> None:
    kept = replace(stored("input", "FP16", 64), name="w")
    first, second = (replace(holder(name, f"/{name}", kept), name_parts=NameParts((name,), region=0)) for name in "ab")
    built = engine(first, second)
    assert stored_of(built).total == weights_bytes(built) == Bytes(128, 0)


def test_constants_are_stored() -> None:
    constant = layer("k", "Constant", inputs=[], outputs=[t("w", [4, 8])], role=Role.CONSTANT)
    assert stored_of(engine(constant)).by_type[DataType.FP16].known_bytes == 64


def test_an_engine_that_stores_nothing() -> None:
    result = stored_of(engine(layer("a")))
    assert result.total == Bytes(0, 0)
    assert result.narrowings == ()
