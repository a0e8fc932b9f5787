"""Engines built for FP32 only, on a device that is faster in FP16.

What it finds: builds that allow FP32 and TF32 only, in which nearly all GEMMs run in them; if the build options are
unknown, engines in which no layer has data of another type. One finding per engine.
Why it matters: FP16 has half the bytes, and tensor cores multiply it at least twice as fast as TF32 and up to 16 times
as fast as CUDA cores multiply FP32. Most networks keep their accuracy, so try this before any single layer.
What to try: up to TensorRT 10 ``--fp16``, with which the builder keeps FP32 where that is faster; from TensorRT 11 on,
which keeps the model's own types, a model in FP16. BF16, from compute capability 8.0 on, if values exceed the range of
FP16. Then compare the outputs on real inputs; FP16 has about three significant digits.
Does not apply: devices that multiply no faster in FP16 (compute capability 6.1 and before 5.3); engines with quantized
or FP16 layers, or built for them (PREC001 and PREC002 report what stays in FP32 there); integer and Boolean engines;
networks whose accuracy needs FP32.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from trex.core.data_type import DataType
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.half_precision import (
    HALF_FORMULA,
    half_confidence,
    half_expected_ms,
    half_savings,
    has_slow_half,
    is_strongly_typed,
    precisions_of,
    precisions_text,
)
from trex.rules.operators import GEMMS
from trex.rules.rule import Rule, RuleLimit
from trex.rules.type_flow import HALVES, QUANTIZED
from trex.rules.wording import cost

_SINGLES = frozenset({"FP32", "TF32"})
_TF32_SINCE = 80
_EXPORT = "export the model in FP16, or convert it (ModelOpt AutoCast; a few lines: trex explain capture-rtx)"
_BF16 = "BF16 instead of FP16, from compute capability 8.0 on, if values exceed 65504, the largest of FP16"
_COMPARE = "then compare the outputs on real inputs{}; the application's own metric decides"
_POLYGRAPHY = ": polygraphy run MODEL.onnx --onnxrt --trt --load-inputs REAL.json --atol 1e-2 --rtol 1e-2 --validate"
_SENSITIVE = "then if outputs differ too much, keep softmax, normalization and large sums in FP32: Casts in the model"


def _fixes(engine: AnalyzedEngine) -> tuple[str, ...]:
    if engine.is_for_rtx:
        return (f"{_EXPORT}: the network is strongly typed", _BF16, _COMPARE.format(""), _SENSITIVE)
    if is_strongly_typed(engine):
        return (f"{_EXPORT}: the network is strongly typed", _BF16, _COMPARE.format(_POLYGRAPHY), _SENSITIVE)
    return (
        "up to TensorRT 10: trtexec --fp16 (Python: config.set_flag(trt.BuilderFlag.FP16)); FP32 stays where it is "
        "faster",
        f"strongly typed, as all from TensorRT 11 on: {_EXPORT}",
        _BF16,
        _COMPARE.format(f"{_POLYGRAPHY}, with --fp16 if weakly typed"),
        f"{_SENSITIVE}, or --precisionConstraints=obey --layerPrecisions=NAME:fp32",
    )


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    flow = engine.flow
    built = precisions_of(engine)
    if built - _SINGLES or has_slow_half(engine):
        return
    if not built and flow.computes_in(HALVES | QUANTIZED):
        return
    gemms = engine.of_type(*GEMMS)
    considered = gemms or [p for p, reads in enumerate(flow.reads) if reads.is_known and not flow.is_copy(p)]
    in_single = [position for position in considered if _operands(engine, position) is DataType.FP32]
    if not in_single or not (gemms or built) or _share(engine, in_single, considered) * 100 < limits["share"]:
        return
    singles = [position for position, reads in enumerate(flow.reads) if reads is DataType.FP32]
    savings = half_savings(engine, singles)
    if engine.is_timed and not engine.takes_share(sum(savings.values()), limits["gain"]):
        return
    expected_ms = half_expected_ms(engine, singles)
    time_ms = engine.sum_ms(in_single)
    in_tf32 = [position for position in in_single if engine.kernels[position].tf32]
    yield Finding(
        _message(engine, built, len(in_single), len(considered), bool(gemms), time_ms),
        layers=engine.indexes(engine.slowest_first(singles)),
        savings=savings,
        formula=HALF_FORMULA,
        evidence=(
            Evidence("precision of the build", _precision(engine, built)),
            Evidence("GEMMs in FP32" if gemms else "layers in FP32", len(in_single)),
            *(() if engine.is_for_rtx else (Evidence("as TF32, on tensor cores", len(in_tf32)),)),
            *_known("their time", time_ms),
            *_known("savings if each layer stays as near to what is attainable as it is now", expected_ms),
        ),
        fix=(*_fixes(engine), *_tf32(engine, in_single)),
        documentation=(
            "TensorRT Developer Guide: Accuracy Considerations, Reduced Precision Data Types",
            "TensorRT Developer Guide: Strongly Typed Networks",
            "NVIDIA/TensorRT issues 2691, 3101, 4502 (accuracy in FP16)",
        ),
        how_to_check="the GEMMs of the new engine run in FP16; trex compare of the two engines shows the gain",
        confidence=half_confidence(engine, singles, savings, 0.9 if built else 0.7),
    )


def _tf32(engine: AnalyzedEngine, in_single: Sequence[int]) -> tuple[str, ...]:
    """Where no kernel uses TF32 on a GPU that has it."""
    has_none = all(engine.kernels[position].tensor_core is False for position in in_single)
    if not has_none or (engine.capability or 0) < _TF32_SINCE or engine.is_for_rtx:
        return ()
    return ("if FP16 is out of the question, leave TF32 on: no --noTF32",)


def _operands(engine: AnalyzedEngine, position: int) -> DataType:
    """The type that it multiplies, else that of its data."""
    operands = engine.operand_type(position)
    return operands if operands.is_known else engine.flow.reads[position]


def _share(engine: AnalyzedEngine, part: Sequence[int], whole: Sequence[int]) -> float:
    """Of the time if it is known, else of the number."""
    whole_ms = engine.sum_ms(whole)
    return engine.sum_ms(part) / whole_ms if whole_ms > 0 else len(part) / len(whole)


def _precision(engine: AnalyzedEngine, built: frozenset[str]) -> str:
    if is_strongly_typed(engine):
        return "strongly typed, in FP32"
    return precisions_text(built) or "unknown; no kernel has quantized data or floats of another type"


def _message(
    engine: AnalyzedEngine, built: frozenset[str], count: int, of: int, are_gemms: bool, time_ms: float
) -> str:
    if is_strongly_typed(engine):
        start = "Strongly typed in FP32"
    else:
        start = f"Built for {precisions_text(built)} only" if built else "Nothing runs in FP16"
    what = "convolutions and GEMMs" if are_gemms else "layers"
    if count == of == 1:
        subject = "its GEMM runs" if are_gemms else "its layer runs"
    else:
        subject = f"all {count} {what} run" if count == of else f"{count} of {of} {what} run"
    time = f", {cost(time_ms, engine)}" if time_ms == time_ms else ""
    return f"{start}: {subject} in FP32 or TF32{time}"


def _known(what: str, time_ms: float) -> tuple[Evidence, ...]:
    return (Evidence(what, time_ms, "ms"),) if time_ms == time_ms else ()


RULE = Rule(
    "PREC004",
    "built for FP32 only",
    Severity.WARNING,
    check,
    {
        "share": RuleLimit(90.0, "%", "least share of FP32 and TF32 in the GEMMs' time"),
        "gain": RuleLimit(5.0, "%", "least share of the engine's time that FP16 could save"),
    },
)
