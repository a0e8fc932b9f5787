"""GEMMs of FP8 data that run in half precision.

What it finds: convolutions and matrix products whose FP8 inputs a kernel before them turns into floats, whose kernel
multiplies in half precision by its own name, and FP8 convolutions on Ada (compute capability 8.9).
Why it matters: FP8 then costs conversions and speeds up no multiplication.
What to try: Q/DQ directly at both inputs of the GEMM, with nothing between; Q/DQ with scales of the model's own high
precision (FP16), so that no Cast comes between; on Ada leave convolutions in FP16 or INT8. Only the GEMMs get faster,
at best twice, so check their share of the time first.
Does not apply: engines without FP8 tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.plan.listed_operands import product_type
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import CONVOLUTIONS, GEMMS
from trex.rules.rule import Rule
from trex.rules.type_flow import HALVES
from trex.rules.wording import cost_of, names_of, percent

_ADA = (8, 9)
DEQUANTIZED, HALF_KERNEL, ADA_CONVOLUTION = "dequantized before", "kernel in half precision", "convolution on Ada"
_MESSAGES = {
    DEQUANTIZED: (
        "GEMM of FP8 data runs in floats",
        "GEMMs of FP8 data run in floats",
        "inputs are dequantized before",
    ),
    HALF_KERNEL: (
        "GEMM of FP8 data runs in half precision",
        "GEMMs of FP8 data run in half precision",
        "kernel's name",
    ),
    ADA_CONVOLUTION: ("FP8 convolution runs on Ada", "FP8 convolutions run on Ada", "it has no fast kernels for them"),
}
_FIXES = {
    DEQUANTIZED: "put Q/DQ directly at both inputs of the GEMM, with no Cast, Mul or Transpose between",
    HALF_KERNEL: "quantize both inputs (weights too), export Q/DQ with FP16 scales (Model Optimizer: "
    "high_precision_dtype='fp16'), and remove any Cast between Q/DQ and the GEMM",
    ADA_CONVOLUTION: "leave the convolutions in FP16, or quantize them to INT8",
}


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    flow = engine.flow
    if not any(type_ is DataType.FP8 for type_ in (*flow.reads, *flow.writes)):
        return
    device = engine.performance.device
    capability = None if device is None else device.compute_capability
    gemms = engine.of_type(*GEMMS)
    groups: dict[str, list[int]] = {}
    convolutions = []
    for position in gemms:
        reason = _reason(engine, position, capability)
        if reason:
            groups.setdefault(reason, []).append(position)
        elif capability is None and flow.reads[position] is DataType.FP8 and _is_convolution(engine, position):
            convolutions.append(position)
    gemms_ms = engine.sum_ms(gemms)
    for reason, positions in groups.items():
        yield _finding(engine, reason, positions, gemms_ms)
    if convolutions:
        yield Unchecked(
            "no file names the GPU, so whether it has fast FP8 kernels for these convolutions is unknown",
            "--device NAME",
            engine.indexes(convolutions),
        )


def _is_convolution(engine: AnalyzedEngine, position: int) -> bool:
    return product_type(engine.layers[position]) in CONVOLUTIONS


def _reason(engine: AnalyzedEngine, position: int, capability: tuple[int, int] | None) -> str:
    flow = engine.flow
    if flow.reads[position] is not DataType.FP8:
        before = engine.before(position)
        return DEQUANTIZED if any(flow.dequantizes(p) and flow.reads[p] is DataType.FP8 for p in before) else ""
    if engine.kernels[position].input_type in HALVES:
        return HALF_KERNEL
    return ADA_CONVOLUTION if _is_convolution(engine, position) and capability == _ADA else ""


def _finding(engine: AnalyzedEngine, reason: str, positions: list[int], gemms_ms: float) -> Finding:
    one, many, why = _MESSAGES[reason]
    before = sorted({p for position in positions for p in engine.before(position) if engine.flow.dequantizes(p)})
    savings = engine.savings(before)
    if reason != ADA_CONVOLUTION:
        savings |= engine.savings(positions, 0.5)
    return Finding(
        f"{counted(len(positions), one, many)} ({why}): {names_of(positions, engine)}; {cost_of(positions, engine)}",
        layers=engine.indexes((*positions, *before)),
        main_layers=engine.indexes(positions),
        savings=savings,
        formula="time of the dequantizing kernels + half of the GEMMs' time: FP8 is at best twice as fast",
        evidence=(
            Evidence("GEMMs", len(positions)),
            Evidence("time", engine.sum_ms(positions), "ms"),
            Evidence("dequantizing kernels", len(before)),
            Evidence("share of all GEMMs in the time", percent(gemms_ms, engine.total_ms)),
            Evidence("savings of FP8 over FP16 at most, all GEMMs", gemms_ms / 2, "ms"),
        ),
        fix=(_FIXES[reason], "compare with an FP16 engine of the same model: only the share of GEMMs above can shrink"),
        documentation=("NVIDIA/TensorRT issue 4081", "NVIDIA/Model-Optimizer issue 512"),
        how_to_check="the GEMMs' kernels have e4m3 in their names, or the GEMMs read FP8 themselves",
        confidence=0.7,
    )


RULE = Rule("QDQ007", "FP8 without gain", Severity.WARNING, check)
