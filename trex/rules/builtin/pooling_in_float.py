"""Poolings that run in floats between quantized layers.

What it finds: a pooling (max, average, global average) that runs in floats although the layers before and after it are
quantized.
Why it matters: memory bounds a pooling, so floats cost it two or four times the bytes; the layer before has to write
floats, and kernels convert on both sides. A quantized max pooling after a convolution may become one ConvActPool kernel
with it.
What to try: QuantizeLinear/DequantizeLinear directly before the pooling. A max pooling commutes with quantization, so
the pair after it may move before it; an average pooling needs its own scale.
Does not apply: a pooling before the first or after the last quantized layer, or at the engine's output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.islands import ISLAND_FORMULA, is_of_poolings, island_conversions, island_savings
from trex.rules.precision_map import FloatIsland
from trex.rules.rule import Rule
from trex.rules.wording import QDQ_PLACEMENT, TREX_BLOG, cost_of, listed, main_operation, names_of

FUSED_FORMULA = (
    "time of the conversions and of the pooling + the convolution's time × output bytes / bytes moved: one ConvActPool "
    "kernel neither writes nor reads the tensor between them"
)


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    for island in engine.precision_map.islands:
        if is_of_poolings(engine, island):
            yield _finding(engine, island)


def _fused_savings(engine: AnalyzedEngine, island: FloatIsland) -> dict[int, float]:
    """What is saved if the poolings become one kernel with the convolutions that write for them."""
    savings = engine.savings((*island.layers, *island.conversions))
    for position in island.writers:
        layer = engine.layers[position]
        written, moved = layer.outputs_size_bytes, layer.total_footprint_bytes
        savings |= engine.savings([position], written / moved if written is not None and moved else 0.0)
    return savings


def _finding(engine: AnalyzedEngine, island: FloatIsland) -> Finding:
    names = names_of(island.layers, engine)
    is_maximum = all("max" in main_operation(engine.layers[position]).lower() for position in island.layers)
    before = names_of((*island.writers, *island.entering), engine)
    label = listed(engine.flow.reads[position].label for position in island.layers)
    is_fusible = is_maximum and bool(island.writers)
    extra = (
        "a max pooling commutes with quantization: move the QuantizeLinear after it to before it; Conv + ReLU + "
        "MaxPool may then become one ConvActPool kernel"
        if is_maximum
        else "pytorch-quantization: use QuantAdaptiveAvgPool2d, or a TensorQuantizer on the pooling's input"
    )
    return Finding(
        f"{names} runs in {label} between quantized layers: {before} writes floats for it and "
        f"{names_of(island.leaving, engine)} quantizes its result; the conversions take "
        f"{cost_of(island.conversions, engine)}",
        layers=engine.indexes((*island.layers, *island.writers, *island.conversions)),
        main_layers=engine.indexes(island.layers),
        savings=_fused_savings(engine, island) if is_fusible else island_savings(engine, island),
        formula=FUSED_FORMULA if is_fusible else ISLAND_FORMULA,
        evidence=(
            Evidence("time of the pooling", engine.sum_ms(island.layers), "ms"),
            *island_conversions(engine, island),
        ),
        fix=(f"put QuantizeLinear/DequantizeLinear directly before {names}, so that it runs in INT8", extra),
        documentation=(QDQ_PLACEMENT, TREX_BLOG),
        how_to_check="the pooling reads and writes INT8 and the kernels around it are gone",
        confidence=0.9,
    )


RULE = Rule("QDQ008", "poolings in floats between quantized layers", Severity.WARNING, check)
