"""Engines built for INT8 or FP8 without FP16.

What it finds: builds that allow FP32 and INT8 (or FP8) only, and strongly typed networks of these types, in which
layers that run in FP32 take more than a few percent of the time. A flag of the build comes before other findings: what
they save is then less.
Why it matters: layers that cannot run quantized then fall back to FP32, with twice the bytes of FP16 and without its
tensor cores. ``--int8`` does not imply FP16.
What to try: up to TensorRT 10 pass both, ``--int8 --fp16`` (or ``--best``); from TensorRT 11 on, which keeps the
model's own types, export the float part in FP16 or insert casts.
Does not apply: builds that allow FP16 or BF16, and typed networks with such tensors; FP32 below the limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.half_precision import (
    HALF_FORMULA,
    half_confidence,
    half_savings,
    is_strongly_typed,
    precisions_of,
    precisions_text,
    single_layers,
)
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import cost_of, names_of

_FLAG = "up to TensorRT 10: trtexec --int8 --fp16 (Python: config.set_flag(trt.BuilderFlag.FP16) as well)"

_TYPED = "TensorRT 11 and strongly typed networks: export the float part of the model in FP16, or insert Casts"
_DOCUMENTATION = (
    "TensorRT Developer Guide: Reduced Precision",
    "NVIDIA/TensorRT issues 550, 3762",
    "pytorch/TensorRT issue 93",
)
_OF_BYTES = 0.7
"""Confidence that layers take less time with fewer bytes, where only bytes are known."""


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    flow = engine.flow
    built = precisions_of(engine)
    lacks_half = bool(built & {"INT8", "FP8"}) and not built & {"FP16", "BF16"}
    if lacks_half and not engine.layers:
        yield Finding(
            f"{_start(built)}: what cannot run quantized runs in FP32",
            evidence=(Evidence("precision of the build", precisions_text(built)),),
            fix=(_FLAG, _TYPED),
            documentation=_DOCUMENTATION,
            how_to_check="the new engine's layers run in INT8, FP8 or FP16",
            confidence=0.9,
        )
        return
    singles = single_layers(engine)
    if not singles:
        return
    is_typed = not built and is_strongly_typed(engine)
    if is_typed and (not flow.quantized_positions or flow.has_halves):
        return
    if not built and not is_typed:
        if flow.quantized_positions and not flow.has_halves:
            yield Unchecked(
                "the engine has INT8 and FP32 layers and none in FP16, but its build options are unknown",
                "keep the build log or its metadata next to the engine (trex process does)",
                engine.indexes(singles),
            )
        return
    if not is_typed and not lacks_half:
        return
    if engine.is_timed and not engine.takes_share(engine.sum_ms(singles), limits["share"]):
        return
    order, own = engine.slowest_first(singles), half_savings(engine, singles)
    passed = {} if is_typed else _passing_singles(engine, frozenset(singles))
    savings = {**passed, **own}
    own_ms, passed_ms = (sum(engine.priced(part).values()) for part in (own, passed))
    confidence = half_confidence(engine, singles, own, 0.9)
    if passed_ms:
        confidence = (confidence * own_ms + _OF_BYTES * passed_ms) / (own_ms + passed_ms)
    others = counted(len(passed), "quantized layer or copy has", "quantized layers and copies have")
    yield Finding(
        f"{_start(built)}: {_fall_back(len(singles), is_typed)} FP32, {cost_of(singles, engine)}: "
        f"{names_of(order, engine, 4)}{f'; {others} FP32 tensors' if passed else ''}",
        layers=(*engine.indexes(order), *passed),
        main_layers=engine.indexes(order),
        savings=savings,
        formula=f"{HALF_FORMULA}; of quantized layers and copies: layer time beyond its arithmetic · half of the FP32 "
        "bytes / all bytes"
        if passed
        else HALF_FORMULA,
        evidence=(
            Evidence("precision of the build", precisions_text(built) or "strongly typed"),
            Evidence("layers in FP32", len(singles)),
            Evidence("their time", engine.sum_ms(singles), "ms"),
            Evidence("quantized layers and copies with FP32 tensors", len(passed)),
        ),
        fix=(*(() if is_typed else (_FLAG,)), _TYPED),
        documentation=_DOCUMENTATION,
        how_to_check="these layers run in FP16 in the new engine",
        confidence=confidence,
        is_first=not is_typed,
    )


def _passing_singles(engine: AnalyzedEngine, singles: frozenset[int]) -> dict[int, float]:
    """{layer.index: milliseconds} of the other layers that read or write FP32 tensors within the engine."""
    bindings = engine.inputs | engine.outputs
    savings: dict[int, float] = {}
    for position, layer in enumerate(engine.layers):
        moved, flow = layer.total_footprint_bytes, engine.flow
        if position in singles or not moved or not (flow.is_quantized(position) or flow.is_conversion(position)):
            continue
        inner = (t for t in (*layer.inputs, *layer.outputs) if t.data_type is DataType.FP32 and t.name not in bindings)
        halved = sum(tensor.size_bytes or 0 for tensor in inner) / 2
        savings |= engine.savings([position], engine.eight_bits.share_of_bytes(position, halved / moved))
    return savings


def _start(built: frozenset[str]) -> str:
    return f"Built for {precisions_text(built)} without FP16" if built else "Strongly typed, quantized and without FP16"


def _fall_back(count: int, is_typed: bool) -> str:
    if is_typed:
        return counted(count, "layer runs in", "layers run in")
    return counted(count, "layer falls back to", "layers fall back to")


RULE = Rule(
    "PREC001",
    "INT8 or FP8 without FP16",
    Severity.WARNING,
    check,
    {"share": RuleLimit(3.0, "%", "least share of FP32 layers in the engine's time")},
)
