"""Float layers between quantized layers.

What it finds: connected layers, often a pooling, that run in floats although quantized layers come before and after
them.
Why it matters: at every border a kernel converts, or a quantized layer writes floats, which costs time that
quantization was meant to save; a small island may cost more than it takes itself. A quantized max pooling after a
convolution may become one ConvActPool kernel with it.
What to try: QuantizeLinear/DequantizeLinear at the island's inputs if its operators run in INT8 or FP8. A max pooling
commutes with quantization, so the pair after it may move before it; an average pooling needs its own scale. Else leave
small quantized neighbors in floats as well, so that a border disappears.
Does not apply: islands of more layers than the limit, or at the engine's ends; the GEMMs and the softmax of attention,
which usually stay in floats between quantized projections.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.eight_bits import FORMULA as EIGHT_BITS
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.operators import GEMMS, POOLINGS
from trex.rules.precision_map import FloatIsland
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import QDQ_PLACEMENT, TREX_BLOG, cost_of, layer_name, listed, main_operation, ms, names_of

_QUANTIZABLE = POOLINGS | GEMMS
_QUANTIZABLE |= {"ElementWise", "PointWise", "PointWiseV2", "Shuffle", "Slice", "Concat", "Resize", "Activation"}
_QUANTIZABLE |= {"Padding", "Scale"}
_FORMULA = f"time of the conversions + time of float GEMMs · (1 − 8 / bits) + {EIGHT_BITS}"
_FUSED_FORMULA = (
    "time of the conversions and of the pooling + (the convolution's time − time of its MACs at the GPU's peak) × "
    "output bytes / bytes moved: one ConvActPool kernel neither writes nor reads the tensor between them"
)


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    for island in engine.precision_map.islands:
        if len(island.layers) <= limits["layers"] and not _is_attention(engine, island):
            yield _finding(engine, island)


def _is_attention(engine: AnalyzedEngine, island: FloatIsland) -> bool:
    """GEMMs around a softmax: quantization is usually meant for the projections before and after them."""
    operations = engine.operations
    return any(map(operations.is_softmax, island.layers)) and any(map(operations.is_gemm, island.layers))


def island_savings(engine: AnalyzedEngine, island: FloatIsland) -> dict[int, float]:
    """What quantizing the island saves at most, {layer.index: milliseconds}.

    Quantized GEMMs are at best faster by the ratio of the bits; other layers, and the writers, move fewer bytes.
    """
    flow = engine.flow
    savings = engine.savings(island.conversions)
    for position in island.layers:
        layer = engine.layers[position]
        bits = flow.reads[position].bits
        if layer.type in GEMMS and bits:
            savings |= engine.savings([position], 1 - 8 / bits)
        else:
            savings |= engine.savings([position], engine.eight_bits.share(position, (*layer.inputs, *layer.outputs)))
    for position in island.writers:
        savings |= engine.savings([position], engine.eight_bits.shares_of_outputs(position)[0])
    return savings


def _fused_savings(engine: AnalyzedEngine, island: FloatIsland) -> dict[int, float]:
    """What is saved if the poolings become one kernel with the convolutions that write for them."""
    savings = engine.savings((*island.layers, *island.conversions))
    for position in island.writers:
        savings |= engine.savings([position], engine.eight_bits.shares_of_outputs(position)[1])
    return savings


def _finding(engine: AnalyzedEngine, island: FloatIsland) -> Finding:
    names = names_of(island.layers, engine)
    is_of_poolings = _are_all(engine, island, POOLINGS)
    is_maximum = is_of_poolings and all("max" in main_operation(engine.layers[p]).lower() for p in island.layers)
    is_fusible = is_maximum and bool(island.writers)
    readers = (reader for position in island.leaving for reader in engine.flow.readers(position))
    neighbors = sorted({*island.writers, *readers})
    conversions = ", ".join(f"{layer_name(engine.layers[p])} {ms(engine.times[p])}" for p in island.conversions)
    label = listed(engine.flow.reads[position].label for position in island.layers)
    one = len(island.layers) == 1
    return Finding(
        f"{names} {'runs' if one else 'run'} in {label} between quantized layers: "
        f"{names_of((*island.writers, *island.entering), engine)} writes floats for {'it' if one else 'them'} and "
        f"{names_of(island.leaving, engine)} quantizes the result; the conversions take "
        f"{cost_of(island.conversions, engine)}",
        layers=engine.indexes((*island.layers, *island.writers, *island.conversions)),
        main_layers=engine.indexes(island.layers),
        savings=_fused_savings(engine, island) if is_fusible else island_savings(engine, island),
        formula=_FUSED_FORMULA if is_fusible else _FORMULA,
        evidence=(
            Evidence("time of the float layers", engine.sum_ms(island.layers), "ms"),
            Evidence("conversions", conversions),
            Evidence("time of the conversions", engine.sum_ms(island.conversions), "ms"),
            Evidence("quantized neighbors", names_of(neighbors, engine)),
            Evidence("time of the quantized neighbors", engine.sum_ms(neighbors), "ms"),
        ),
        fix=_fix(engine, island, names, neighbors, is_maximum),
        documentation=(QDQ_PLACEMENT, TREX_BLOG, "NVIDIA/TensorRT issues 993, 1423, 3197, 4554"),
        how_to_check="the conversions are gone and the sum of these layers' times is smaller",
        confidence=0.9 if is_of_poolings else 0.8 if _are_all(engine, island, _QUANTIZABLE) else 0.4,
    )


def _fix(
    engine: AnalyzedEngine, island: FloatIsland, names: str, neighbors: list[int], is_maximum: bool
) -> tuple[str, ...]:
    quantize = f"put QuantizeLinear/DequantizeLinear directly before {names}, so that no data leave the quantized type"
    if is_maximum:
        return (
            quantize,
            "a max pooling commutes with quantization: move the QuantizeLinear after it to before it; Conv + ReLU + "
            "MaxPool may then become one ConvActPool kernel",
        )
    if _are_all(engine, island, POOLINGS):
        return (
            quantize,
            "an average pooling needs a scale: QuantAdaptiveAvgPool2d of pytorch-quantization, or a TensorQuantizer",
        )
    leave = (
        f"leave its neighbors in floats: they take {ms(engine.sum_ms(neighbors))} quantized, at most twice that in FP16"
    )
    if _are_all(engine, island, _QUANTIZABLE):
        return quantize, leave
    return leave, f"if its operators allow it, {quantize}"


def _are_all(engine: AnalyzedEngine, island: FloatIsland, types: frozenset[str]) -> bool:
    return all(engine.layers[position].type in types for position in island.layers)


RULE = Rule(
    "QDQ008",
    "float layers between quantized layers",
    Severity.WARNING,
    check,
    {"layers": RuleLimit(12, "layers", "larger islands count as float on purpose")},
)
