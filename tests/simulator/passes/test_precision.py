"""Types that steps may compute in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.simulator.models import target
from tests.simulator.passes.written import after, network
from trex.core.data_type import DataType
from trex.simulator.draft import NetworkDraft

_FP32, _FP16, _BF16 = DataType.FP32, DataType.FP16, DataType.BF16
_QUANTIZED = "s: = 0.5\n q = QuantizeLinear x s\n a = DequantizeLinear q s"


def draft_of(device: str, *allowed: DataType, text: str = "a = Relu x", is_strong: bool = False) -> NetworkDraft:
    of = replace(target(device, *allowed), strongly_typed=is_strong)
    return after(network(text, "a"), "precision", of=of)


@pytest.mark.parametrize(
    ("device", "allowed", "types"),
    [
        ("A100", (), (_FP32,)),
        ("A100", (_FP16,), (_FP16, _FP32)),
        ("A100", (_FP16, _BF16), (_FP16, _BF16, _FP32)),
        ("V100", (_FP16, _BF16), (_FP16, _FP32)),
        ("P4", (_FP16,), (_FP32,)),
    ],
)
def test_flags_and_devices(device: str, allowed: tuple[DataType, ...], types: tuple[DataType, ...]) -> None:
    assert draft_of(device, *allowed).steps[0].facts["float_types"] == types


def test_the_models_own_types_hold_in_a_strongly_typed_network() -> None:
    assert "float_types" not in draft_of("A100", is_strong=True).steps[0].facts


def test_quantizers_without_their_flag_are_noted() -> None:
    (note,) = draft_of("A100", text=_QUANTIZED).notes
    assert note.code == "quantized-without-flag"
    assert draft_of("A100", DataType.INT8, text=_QUANTIZED).notes == ()
    assert draft_of("A100", text=_QUANTIZED, is_strong=True).notes == ()


def test_asymmetric_quantizers_are_noted() -> None:
    text = "s: = 0.5\n z: = 3\n q = QuantizeLinear x s z\n a = DequantizeLinear q s z"
    (note,) = draft_of("A100", DataType.INT8, text=text).notes
    assert (note.code, "2 quantizers: q, since its zero point" in note.message) == ("quantizer-not-supported", True)
