"""Attention that did not fuse into one kernel.

What it finds: blocks of a matrix product, a softmax and a second matrix product as separate kernels, each with the
conditions of TensorRT's fused attention that it violates. Where a file has only names: softmaxes between GEMMs.
Why it matters: separate kernels write and read the scores of every query with every key several times; the fused kernel
keeps them on the chip, so its memory traffic grows with the sequence, not with its square.
What to try: fix the violated condition. The documented conditions: compute capability 7.5 or higher; both GEMMs in
FP16, BF16, INT8 or (8.9 and higher) FP8, not FP32 or TF32; heads of 16 to 256 in multiples of 8 in FP16 and BF16; INT8
heads of 16, 32 or 64 and sequences of at most 512; FP8 on 8.9 heads of at most 64 and sequences of at most 3072 (as of
TensorRT 10.6; later releases take longer ones); for INT8 and FP8 quantize/dequantize before the first GEMM, after the
softmax and after the second GEMM, without Cast, scale or transposition of K between dequantize and GEMM; Q or K
multiplied by the attention scale before the first GEMM, not the scores after it.
Does not apply: blocks that TensorRT left apart because it measured the parts to be faster (short sequences); regions
without details; a softmax over another axis than the last, which is no attention. The finding states if the files show
no violated condition.
"""

# Sources: TensorRT Developer Guide, "Multi-Head Attention Fusion" (its list of restrictions, as quoted in
# NVIDIA/TensorRT issue 2981); TensorRT documentation, "Fused Attention" (position of the scale); TensorRT 10.6.0
# Release Notes (FP8 on Ada); NVIDIA/Model-Optimizer pull request 1289 (operators between Q/DQ and the GEMMs).

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.perf.arithmetic import Arithmetic
from trex.perf.roofline import LAUNCH_MS
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.attention import AttentionBlock, AttentionShape, named_blocks, shape_of, unfused_blocks
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import REGIONS
from trex.rules.rule import Rule, RuleLimit
from trex.rules.type_flow import HALVES, QUANTIZED
from trex.rules.wording import DETAILED_HINT, cost, cost_of, main_operation, ms, names_of

FUSED_SINCE, FP8_SINCE, ADA = 75, 89, 89
_FORMULA = (
    "(sum of the block's times − max(2 · MACs of both GEMMs / rate of FP16 on tensor cores, bytes of Q, K, V and the "
    "output / memory bandwidth, 2 µs of a launch)), spread over the kernels by their times"
)
_FORMULA_WITHOUT_DEVICE = "sum of the times of the kernels between the GEMMs: a fused kernel has none of them"
_DOCUMENTATION = (
    "TensorRT Developer Guide: Multi-Head Attention Fusion",
    "TensorRT documentation: Fused Attention (Working with Transformers)",
    "NVIDIA/TensorRT issue 2981",
    "NVIDIA/Model-Optimizer pull request 1289",
)
_FIXES = {
    "SM": "no fused attention on this GPU: use a plugin, or a newer GPU",
    "precision": "build the attention in FP16 or BF16: an FP16 or BF16 ONNX model without FP32 casts around it",
    "head size": "pad the heads with zeros to an allowed multiple of 8 (16, 32 and 64 for INT8)",
    "sequence": "keep attention in FP16 (remove its Q/DQ), or split longer sequences",
    "Q/DQ position": "put Q/DQ on Q and K right before the first GEMM, after the softmax and after the second GEMM; "
    "move the scale and the transposition of K before its quantize, and put no Cast after dequantize",
    "scale": "multiply Q (or Q and K by its root) by the scale before the first GEMM",
}
_MOST_OPERANDS = 16
"""A GEMM of a real engine reads a few tensors; those of more are not looked through for each block."""
_Violation = tuple[str, str, float]


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    for block in unfused_blocks(engine):
        yield _finding(engine, block, limits["unexplained"])
    blocks, others = named_blocks(engine)
    if blocks:
        yield _named(engine, blocks, limits["unexplained"])
    if others:
        yield Unchecked(
            f"{counted(len(others), 'softmax', 'softmaxes')} with only a name; whether of attention is unknown",
            DETAILED_HINT,
            engine.indexes(others),
        )
    hidden = [position for position in engine.of_type(*REGIONS) if "softmax" in engine.operations.words[position]]
    if hidden:
        yield Unchecked(
            f"{len(hidden):,} regions contain a softmax; whether their attention is fused is unknown",
            "build with TensorRT 10, which lists the kernels of regions",
            engine.indexes(hidden),
        )


def violations(engine: AnalyzedEngine, block: AttentionBlock) -> list[_Violation]:
    """(condition, how it is violated, confidence that this prevented fusion), the most confident first."""
    shape, capability = shape_of(engine, block), engine.capability
    first, second = shape.types
    violated: list[_Violation] = []
    if capability is not None and capability < FUSED_SINCE:
        violated.append(("SM", f"compute capability {capability / 10:.1f} is below 7.5", 0.95))
    both = (("both GEMMs multiply", first),) if first is second else ()
    for subject, type_ in both or (("the first GEMM multiplies", first), ("the second GEMM multiplies", second)):
        if type_.is_known and type_ not in HALVES and type_ not in (DataType.INT8, DataType.FP8):
            violated.append(("precision", f"{subject} {type_.label}", 0.9))
        elif type_ is DataType.FP8 and capability is not None and capability < FP8_SINCE:
            violated.append(("precision", f"FP8 needs compute capability 8.9, not {capability / 10:.1f}", 0.9))
    violated += _head_and_sequence(shape, capability)
    violated += _positions(engine, block, first, second)
    if not violated and _scales_scores(engine, block):
        violated.append(("scale", "the scores are scaled after the first GEMM, not Q or K before it", 0.5))
    return violated


def _head_and_sequence(shape: AttentionShape, capability: int | None) -> list[_Violation]:
    head = shape.head_size
    longest = max((length for length in (shape.queries, shape.keys) if length), default=None)
    violated = []
    if shape.types[0] in HALVES and head is not None and (head % 8 or not 16 <= head <= 256):
        violated.append(("head size", f"{head} is not 16 to 256 in multiples of 8", 0.9))
    if DataType.INT8 in shape.types:
        if head is not None and head not in (16, 32, 64):
            violated.append(("head size", f"INT8 heads are 16, 32 or 64, not {head}", 0.9))
        if longest is not None and longest > 512:
            violated.append(("sequence", f"INT8 sequences are at most 512, not {longest:,}", 0.9))
    if DataType.FP8 in shape.types and capability == ADA:
        if head is not None and head > 64:
            violated.append(("head size", f"FP8 heads on 8.9 are at most 64 (TensorRT 10.6), not {head}", 0.6))
        if longest is not None and longest > 3072:
            violated.append(
                ("sequence", f"FP8 sequences on 8.9 are at most 3,072 (TensorRT 10.6), not {longest:,}", 0.6)
            )
    return violated


def _positions(engine: AnalyzedEngine, block: AttentionBlock, first: DataType, second: DataType) -> list[_Violation]:
    """Where quantize/dequantize is missing or separated from its GEMM."""
    violated = []
    if first in QUANTIZED and second.is_known and second not in QUANTIZED:
        violated.append(
            ("Q/DQ position", "no quantize/dequantize after the softmax: the second GEMM reads floats", 0.8)
        )
    if second in QUANTIZED and first.is_known and first not in QUANTIZED:
        violated.append(("Q/DQ position", "no quantize/dequantize before the first GEMM, which reads floats", 0.8))
    if first in QUANTIZED and second in QUANTIZED:
        written = engine.layers[block.second].outputs
        if written and written[0].data_type.is_float and written[0].data_type not in QUANTIZED:
            violated.append(("Q/DQ position", "no quantize/dequantize after the second GEMM, which writes floats", 0.6))
    if first in QUANTIZED:
        for position in engine.before(block.first)[:_MOST_OPERANDS]:
            words = engine.operations.words[position]
            if engine.operations.is_cheap(position) and not words.isdisjoint(("transpose", "cast")):
                what = "a transposition" if "transpose" in words else "a Cast"
                violated.append(("Q/DQ position", f"{what} comes between dequantize and the first GEMM", 0.6))
                break
    return violated


def _scales_scores(engine: AnalyzedEngine, block: AttentionBlock) -> bool:
    """Multiplied or divided between the first GEMM and the maximum of the softmax."""
    for position in block.before:
        if not engine.operations.words[position].isdisjoint(("mul", "div")):
            return True
    tokens = [token.lower() for token in engine.layers[block.softmax].name_parts.tokens]
    head = tokens[: tokens.index("maxr")] if "maxr" in tokens else []
    return "mul" in head or "div" in head


def _finding(engine: AnalyzedEngine, block: AttentionBlock, unexplained: float) -> Finding:
    shape, violated = shape_of(engine, block), violations(engine, block)
    savings, formula = _savings(engine, block)
    times = engine.savings(block.positions)
    softmax, first = engine.layers[block.softmax], engine.layers[block.first]
    named = first if first.origins or not softmax.origins else softmax
    where = softmax.module.rpartition("/softmax")[0] or main_operation(named)
    time = f", {cost(sum(times.values()), engine)}" if times else ""
    why = "; ".join(f"{condition}: {what}" for condition, what, _ in violated)
    message = f"Attention at {where} runs as {len(block.positions)} kernels{time}: "
    message += why or "the files show no violated condition"
    if savings:
        message += f"; up to {ms(sum(savings.values()))} can be saved"
    newer = "a newer TensorRT; compare with longer sequences"
    unexplained_fix = newer if engine.is_for_rtx else f"trtexec --builderOptimizationLevel=5, or {newer}"
    return Finding(
        message,
        layers=engine.indexes(block.positions),
        savings=savings,
        formula=formula,
        evidence=(
            Evidence("head size", shape.head_size),
            Evidence("queries", shape.queries),
            Evidence("keys", shape.keys),
            Evidence("type of the first GEMM", shape.types[0].label),
            Evidence("type of the second GEMM", shape.types[1].label),
            Evidence("compute capability", None if engine.capability is None else engine.capability / 10),
            Evidence("violated conditions", ", ".join(dict.fromkeys(item[0] for item in violated)) or "none"),
        ),
        fix=(
            *(dict.fromkeys(_fix(condition, engine) for condition, _, _ in violated) or (unexplained_fix,)),
            "the Attention operator (opset 23), or IAttention of TensorRT 10.14 and later, requests the fused kernel",
        ),
        documentation=_DOCUMENTATION,
        how_to_check="the new engine has one kernel for the block, with mha or fmha in its name",
        confidence=max((confidence for _, _, confidence in violated), default=unexplained),
    )


def _fix(condition: str, engine: AnalyzedEngine) -> str:
    by_flag = condition == "precision" and not engine.is_for_rtx
    return f"{_FIXES[condition]}, or up to TensorRT 10 --fp16" if by_flag else _FIXES[condition]


def _named(engine: AnalyzedEngine, blocks: list[AttentionBlock], confidence: float) -> Finding:
    """Of blocks known by name only."""
    softmaxes = engine.slowest_first(block.softmax for block in blocks)
    products = [position for block in blocks for position in (block.first, block.second)]
    savings = engine.savings(softmaxes)
    number = counted(len(blocks), "softmax runs as a kernel of its own", "softmaxes run as kernels of their own")
    return Finding(
        f"{number} between GEMMs, by the layers' names: attention is not fused; "
        f"{cost_of(softmaxes, engine)} without the GEMMs: {names_of(softmaxes, engine, 3)}",
        layers=engine.indexes((*softmaxes, *products)),
        main_layers=engine.indexes(softmaxes),
        savings=savings,
        formula=_FORMULA_WITHOUT_DEVICE if savings else "",
        evidence=(
            Evidence("blocks", len(blocks)),
            Evidence("softmaxes", engine.sum_ms(softmaxes), "ms"),
            Evidence("their GEMMs", engine.sum_ms(dict.fromkeys(products)), "ms"),
        ),
        fix=(
            f"{DETAILED_HINT}: the violated condition of each block can then be named",
            _fix("precision", engine),
        ),
        documentation=_DOCUMENTATION,
        how_to_check="the new engine has one layer for all of a block",
        confidence=confidence,
    )


def _savings(engine: AnalyzedEngine, block: AttentionBlock) -> tuple[dict[int, float], str]:
    """({layer.index: milliseconds}, formula)."""
    times = engine.savings(block.positions)
    total_ms = sum(times.values())
    device, works = engine.performance.device, engine.performance.works
    macs = (works[block.first].macs, works[block.second].macs)
    rate = None if device is None else device.ops_per_s(Arithmetic(DataType.FP16, DataType.FP32))
    sizes = _outer_bytes(engine, block)
    if rate is None or device is None or None in macs or device.bytes_per_s is None or sizes is None or not total_ms:
        between = engine.savings(block.between)
        return between, _FORMULA_WITHOUT_DEVICE if between else ""
    fused_ms = max(
        2e3 * sum(count for count in macs if count is not None) / rate.per_second,
        1e3 * sizes / device.bytes_per_s.per_second,
        LAUNCH_MS,
    )
    share = max(0.0, 1 - fused_ms / total_ms)
    return ({index: time * share for index, time in times.items()}, _FORMULA) if share else ({}, "")


def _outer_bytes(engine: AnalyzedEngine, block: AttentionBlock) -> int | None:
    """Bytes of Q, K, V and the output; None if one is unknown."""
    first, second = engine.layers[block.first], engine.layers[block.second]
    inside = [engine.flow.written_names(position) for position in block.positions]
    operands = second.inputs[:_MOST_OPERANDS]
    tensors = [*first.inputs[:2], *second.outputs[:1]]
    tensors += [tensor for tensor in operands if not any(tensor.name in names for names in inside)][:1]
    sizes = [tensor.size_bytes for tensor in tensors]
    return None if None in sizes else sum(size for size in sizes if size is not None)


RULE = Rule(
    "ATTN001",
    "attention not fused",
    Severity.WARNING,
    check,
    {"unexplained": RuleLimit(0.3, "", "confidence if no documented condition is violated")},
)
