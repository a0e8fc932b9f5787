"""Attention that was not fused into one kernel.

What it finds: blocks of a matrix product, a softmax and a second matrix product as kernels of their own, each with the
conditions of TensorRT's fused attention that it violates.
Why it matters: apart, the scores of every query with every key are written and read several times; the fused kernel
keeps them on the chip, so that its memory traffic grows with the sequence, not with its square.
What to try: what the violated condition says. The documented conditions: compute capability 7.5 or higher; both
products in FP16, BF16, INT8 or (8.9 and higher) FP8, not FP32 or TF32; heads of 16 to 256 in multiples of 8 in FP16 and
BF16; INT8 heads of 16, 32 or 64 and sequences of at most 512; FP8 on 8.9 heads of at most 64 and sequences of at most
3072 (as of TensorRT 10.6; later releases take longer ones); for INT8 and FP8 quantize/dequantize before the first
product, after the softmax and after the second product, with neither Cast, scale nor transposition of K between
dequantize and product; Q or K multiplied by the attention scale before the first product, not the scores after it.
Does not apply: to what TensorRT left apart because it measured the parts to be faster (short sequences); to regions
told as one layer. Where no condition is violated, that is said.
"""

# Sources: TensorRT Developer Guide, "Multi-Head Attention Fusion" (its list of restrictions, as quoted in
# NVIDIA/TensorRT issue 2981); TensorRT documentation, "Fused Attention" (where the scale belongs); TensorRT 10.6.0
# Release Notes (FP8 on Ada); NVIDIA/Model-Optimizer pull request 1289 (what stands between Q/DQ and the products).

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.perf.arithmetic import Arithmetic
from trex.perf.roofline import LAUNCH_MS
from trex.rules.analyzed_engine import Inspected
from trex.rules.attention import AttentionBlock, AttentionShape, shape_of, unfused_blocks
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.operations import capability_of
from trex.rules.rule import Limit, Rule
from trex.rules.type_flow import QUANTIZED
from trex.rules.wording import main_operation, ms, priced

FUSED_SINCE, FP8_SINCE, ADA = 75, 89, 89
_HALVES = frozenset({DataType.FP16, DataType.BF16})
_FORMULA = (
    "(sum of the block's times − max(2 · macs of both products / rate of FP16 on tensor cores, bytes of Q, K, V and "
    "the output / bandwidth of the memory, 2 µs of a launch)), spread over the kernels by their times"
)
_FORMULA_WITHOUT_DEVICE = "sum of the times of the kernels between the products: a fused kernel has none of them"
_DOCUMENTATION = (
    "TensorRT Developer Guide: Multi-Head Attention Fusion",
    "TensorRT documentation: Fused Attention (Working with Transformers)",
    "NVIDIA/TensorRT issue 2981",
    "NVIDIA/Model-Optimizer pull request 1289",
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterable[Finding | CannotTell]:
    capability = capability_of(seen)
    for block in unfused_blocks(seen):
        yield _finding(seen, block, capability, limits)
    hidden = [place for place in seen.of_type("Myelin", "ForeignNode") if "softmax" in seen.operations.words[place]]
    if hidden:
        yield CannotTell(
            f"{len(hidden):,} regions hold a softmax; whether their attention is fused is not told",
            "build with TensorRT 10, whose regions tell their kernels",
            tuple(seen.layers[place].index for place in hidden),
        )


def violations(seen: Inspected, block: AttentionBlock, capability: int | None) -> list[tuple[str, str, float]]:
    """(condition, what is wrong, how sure it is that this kept the block apart), the surest first."""
    shape = shape_of(seen, block)
    found: list[tuple[str, str, float]] = []
    first, second = shape.types
    if capability is not None and capability < FUSED_SINCE:
        found.append(("SM", f"compute capability {capability / 10:.1f} is below 7.5", 0.95))
    for name, type_ in (("first", first), ("second", second)):
        if type_.is_known and type_ not in _HALVES and type_ not in (DataType.INT8, DataType.FP8):
            found.append(("precision", f"the {name} product multiplies {type_.label}", 0.9))
        elif type_ is DataType.FP8 and capability is not None and capability < FP8_SINCE:
            found.append(("precision", f"FP8 needs compute capability 8.9, not {capability / 10:.1f}", 0.9))
    found += _head_and_sequence(shape, capability)
    found += _positions(seen, block, first, second)
    if not found and _scales_scores(seen, block):
        found.append(("scale", "the scores are scaled after the first product, not Q or K before it", 0.5))
    return found


def _head_and_sequence(shape: AttentionShape, capability: int | None) -> list[tuple[str, str, float]]:
    head, longest = shape.head_size, max((each for each in (shape.queries, shape.keys) if each), default=None)
    found = []
    if shape.types[0] in _HALVES and head is not None and (head % 8 or not 16 <= head <= 256):
        found.append(("head size", f"heads of {head} are not of 16 to 256 in multiples of 8", 0.9))
    if DataType.INT8 in shape.types:
        if head is not None and head not in (16, 32, 64):
            found.append(("head size", f"INT8 heads are of 16, 32 or 64, not {head}", 0.9))
        if longest is not None and longest > 512:
            found.append(("sequence", f"INT8 sequences are of at most 512, not {longest:,}", 0.9))
    if DataType.FP8 in shape.types and capability == ADA:
        if head is not None and head > 64:
            found.append(("head size", f"FP8 heads on 8.9 are of at most 64 (TensorRT 10.6), not {head}", 0.6))
        if longest is not None and longest > 3072:
            found.append(
                ("sequence", f"FP8 sequences on 8.9 are of at most 3,072 (TensorRT 10.6), not {longest:,}", 0.6)
            )
    return found


def _positions(
    seen: Inspected, block: AttentionBlock, first: DataType, second: DataType
) -> list[tuple[str, str, float]]:
    """Where quantize/dequantize is missing or kept away from its product."""
    found = []
    if first in QUANTIZED and second.is_known and second not in QUANTIZED:
        found.append(
            ("Q/DQ position", "no quantize/dequantize after the softmax: the second product reads floats", 0.8)
        )
    if second in QUANTIZED and first.is_known and first not in QUANTIZED:
        found.append(("Q/DQ position", "no quantize/dequantize before the first product, which reads floats", 0.8))
    if first in QUANTIZED and second in QUANTIZED:
        written = seen.layers[block.second].outputs
        if written and written[0].data_type.is_float and written[0].data_type not in QUANTIZED:
            found.append(("Q/DQ position", "no quantize/dequantize after the second product, which writes floats", 0.6))
    if first in QUANTIZED:
        for place in seen.before(block.first):
            words = seen.operations.words[place]
            if seen.operations.is_cheap(place) and not words.isdisjoint(("transpose", "cast")):
                what = "a transposition" if "transpose" in words else "a Cast"
                found.append(("Q/DQ position", f"{what} stands between dequantize and the first product", 0.6))
                break
    return found


def _scales_scores(seen: Inspected, block: AttentionBlock) -> bool:
    """Multiplied or divided between the first product and the maximum of the softmax."""
    for place in block.before:
        if not seen.operations.words[place].isdisjoint(("mul", "div")):
            return True
    tokens = [token.lower() for token in seen.layers[block.softmax].name_parts.tokens]
    head = tokens[: tokens.index("maxr")] if "maxr" in tokens else []
    return "mul" in head or "div" in head


_ADVICE = {
    "SM": "no fused attention on this GPU: a plugin, or a newer one",
    "precision": "build the attention in FP16 or BF16: --fp16, or an FP16 ONNX model without FP32 casts around it",
    "head size": "pad the heads with zeros to a multiple of 8 that is allowed (16, 32 and 64 for INT8)",
    "sequence": "keep attention in FP16 (remove its Q/DQ), or split longer sequences",
    "Q/DQ position": "put Q/DQ on Q and K right before the first product, after the softmax and after the second "
    "product; move the scale and the transposition of K before its quantize, and let no Cast follow dequantize",
    "scale": "multiply Q (or Q and K by its root) with the scale before the first product",
}


def _finding(seen: Inspected, block: AttentionBlock, capability: int | None, limits: Mapping[str, float]) -> Finding:
    shape, wrong = shape_of(seen, block), violations(seen, block, capability)
    at_stake, formula = _price(seen, block)
    times = seen.stake(block.places)
    layer = seen.layers[block.softmax]
    where = layer.module.rpartition("/softmax")[0] or main_operation(_named(seen, block))
    why = "; ".join(f"{condition}: {what}" for condition, what, _ in wrong)
    taken = f" {priced(sum(times.values()), seen.total_ms)}," if times else ""
    message = f"attention at {where} runs as {len(block.places)} kernels,{taken} "
    message += f"because of {why}" if wrong else "though it violates none of the documented conditions"
    if at_stake:
        message += f"; up to {ms(sum(at_stake.values()))} to be saved"
    return Finding(
        message,
        tuple(seen.layers[place].index for place in block.places),
        at_stake,
        formula,
        (
            Evidence("head size", shape.head_size),
            Evidence("queries", shape.queries),
            Evidence("keys", shape.keys),
            Evidence("type of the first product", shape.types[0].label),
            Evidence("type of the second product", shape.types[1].label),
            Evidence("compute capability", None if capability is None else capability / 10),
            Evidence("violated conditions", ", ".join(dict.fromkeys(each[0] for each in wrong)) or "none"),
        ),
        (
            *dict.fromkeys(_ADVICE[condition] for condition, _, _ in wrong),
            *(
                ()
                if wrong
                else ("trtexec --builderOptimizationLevel=5, or a newer TensorRT; compare with longer sequences",)
            ),
            "the Attention operator (opset 23) or IAttention of TensorRT 10.14 and later asks for the fused kernel",
        ),
        _DOCUMENTATION,
        "the new engine runs one kernel whose name holds mha or fmha for the block",
        max((sure for _, _, sure in wrong), default=limits["unexplained"]),
    )


def _named(seen: Inspected, block: AttentionBlock) -> Layer:
    """The layer that people know the block by."""
    return max((seen.layers[block.softmax], seen.layers[block.first]), key=lambda each: len(each.origins))


def _price(seen: Inspected, block: AttentionBlock) -> tuple[dict[int, float], str]:
    times = seen.stake(block.places)
    total = sum(times.values())
    device = seen.performance.device
    works = seen.performance.works
    macs = (works[block.first].macs, works[block.second].macs)
    rate = None if device is None else device.ops_per_s(Arithmetic(DataType.FP16, DataType.FP32))
    sizes = _outer_bytes(seen, block)
    if rate is None or device is None or None in macs or device.bytes_per_s is None or sizes is None or not total:
        return seen.stake(block.vanishing), _FORMULA_WITHOUT_DEVICE if seen.stake(block.vanishing) else ""
    fused = max(
        2e3 * sum(each for each in macs if each is not None) / rate.per_second,
        1e3 * sizes / device.bytes_per_s.per_second,
        LAUNCH_MS,
    )
    part = max(0.0, 1 - fused / total)
    return ({index: time * part for index, time in times.items()}, _FORMULA) if part else ({}, "")


def _outer_bytes(seen: Inspected, block: AttentionBlock) -> int | None:
    """Bytes of Q, K, V and the output; None where one is unknown."""
    inside = {tensor.name for place in block.places for tensor in seen.layers[place].outputs}
    tensors = [*seen.layers[block.first].inputs[:2], *seen.layers[block.second].outputs[:1]]
    tensors += [tensor for tensor in seen.layers[block.second].inputs if tensor.name not in inside][:1]
    sizes = [tensor.size_bytes for tensor in tensors]
    return None if None in sizes else sum(size for size in sizes if size is not None)


RULE = Rule(
    "ATTN001",
    "attention not fused",
    Severity.WARNING,
    check,
    {"unexplained": Limit(0.3, "", "confidence where no documented condition is violated")},
)
