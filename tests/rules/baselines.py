"""Two engines of one model, for the tests of the rules that compare: ``conv("a", ms…)`` and what is read of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.raw_records import convolution, tensor
from tests.rules.cases import plan_of
from trex.plan.engine_plan import EnginePlan

WORDS = {"FP32": "Row major linear FP32", "FP16": "Row major linear FP16 format"}
TYPES = {"FP32": "Float", "FP16": "Half"}
XMMA = (
    "sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize{}x64_stage4_warpsize2x2x1_g1_tensor16x8x16"
)
CUDNN = "ampere_scudnn_128x64_relu_small_nn_v1"


def conv(
    name: str, source: str, output: str, type_: str = "FP16", tactic: str = "", count: int = 576
) -> dict[str, Any]:
    written = WORDS[type_]
    more = {"TacticName": tactic} if tactic else {}
    weights = {"Type": TYPES[type_], "Count": count}
    return convolution(
        name, tensor(source, written=written), tensor(output, written=written), Weights=weights, Bias=weights, **more
    )


def engine(records: Sequence[dict[str, Any]], times: Mapping[str, float] | None = None, device: str = "") -> EnginePlan:
    return plan_of(records, times, device={"Selected Device": device} if device else {})


def pair(type_: str = "FP16", tactic: str = "", count: int = 576) -> list[dict[str, Any]]:
    """Two convolutions, the second as told."""
    return [conv("/a/Conv", "x", "t"), conv("/b/Conv", "t", "y", type_, tactic, count)]


def timed(a: float, b: float, type_: str = "FP16", tactic: str = "", device: str = "", count: int = 576) -> EnginePlan:
    return engine(pair(type_, tactic, count), {"/a/Conv": a, "/b/Conv": b}, device)
