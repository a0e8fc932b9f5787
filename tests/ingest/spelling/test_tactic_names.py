"""Kernel names in general: any text has an answer, and real kernels agree with their layers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.real_kernels import kernels_in_logs
from trex.ingest.spelling import tactic_names
from trex.ingest.spelling.tactic_names import NO_TACTIC, Tactic, decode_tactic


@pytest.mark.parametrize("name", ["", "relu", "TensorRT", "x" * 200_000])
def test_names_of_no_family_state_nothing(name: str) -> None:
    tactic = decode_tactic(name)
    assert tactic == NO_TACTIC


def test_cutlass_tensorop_is_a_tensor_core_kernel_and_an_xmma_name_alone_is_not() -> None:
    assert decode_tactic("cutlass_tensorop_f16_s1688gemm_f16_128x128_nn_align8").tensor_core is True
    assert decode_tactic("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_ffma").tensor_core is False


@pytest.mark.slow
@given(st.one_of(st.text(), st.from_regex(r"([a-z0-9]{1,8}_){0,12}[a-z0-9x]{0,8}", fullmatch=True)))
def test_any_name_has_an_answer(name: str) -> None:
    assert isinstance(decode_tactic(name), Tactic)


_WORDS = (
    "sm80 xmma cutlass3x gemm f16 f16f16 f32 s16816gemm icudnn int8 nvjet tst pooling FP16FP32 fused fp32 accfloat "
    "128x128 tilesize1x2x3 hmma block scaled"
)


@given(st.lists(st.sampled_from(_WORDS.split()), max_size=9))
def test_any_order_of_familiar_words_has_an_answer(words: list[str]) -> None:
    assert isinstance(decode_tactic("_".join(words)), Tactic)


def test_long_names_are_decoded() -> None:
    for name in ("f16" * 600, "_1x" * 600, "_" * 1900, "tensor1x" * 200, "_128x" * 390):
        assert isinstance(decode_tactic(name), Tactic)


@pytest.mark.parametrize(
    "name",
    [
        "__myl_AddMaxrSubExpSum", "_gemm_mha_v2", "synthetic___myl_TranResh", "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n",
        "cutlass_tensorop_f16_s1688gemm_f16_128x128_nn_align8", "relu", "",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "digits", ["9c35e7fcdf0397ec9b2d5e73edfa3b88", "9c35e7fcdf0397ec", "9c35", "f" * 65, "12AB" * 8]
)
def test_a_hash_at_the_end_changes_only_the_part_that_holds_it(name: str, digits: str) -> None:
    hashed = f"{name}_0x{digits}"
    assert decode_tactic(hashed) == tactic_names._decode_whole(hashed)


def test_the_real_kernels_agree_with_their_layers(shared_engines: Path) -> None:
    from trex.ingest.spelling.tensor_formats import parse_format

    compared = 0
    for path in shared_engines.glob("*/*.graph.json"):
        for layer in json.loads(path.read_bytes())["Layers"]:
            tactic = decode_tactic(layer.get("TacticName", ""))
            inputs = [parse_format(t["Format/Datatype"])[0] for t in layer["Inputs"]]
            outputs = [parse_format(t["Format/Datatype"])[0] for t in layer["Outputs"]]
            if tactic.input_type.is_known:
                compared += 1
                assert tactic.input_type in inputs, layer["TacticName"]
            if tactic.output_type.is_known:
                assert tactic.output_type in outputs, layer["TacticName"]
    assert compared > 400


def test_every_kernel_of_the_logs_is_of_a_known_family(shared_logs: Path) -> None:
    tactics = {name: decode_tactic(name) for name in kernels_in_logs(shared_logs)}
    assert len(tactics) > 300
    assert not [name for name, tactic in tactics.items() if not tactic.family]
    # These families do not state the data types; "" is the placeholder of TensorRT for RTX.
    untyped = ("pooling", "generated", "attention", "")
    assert not [name for name, t in tactics.items() if t.kind not in untyped and not t.input_type.is_known]
    silent = ("generated", "attention", "")
    assert not [name for name, t in tactics.items() if t.kind not in silent and t.tensor_core is None]
