"""Poolings that run in floats between quantized layers.

What it finds: a pooling (max, average, global average) that runs in floats although the layers before and after it are
quantized.
Why it matters: a pooling is bound by memory, so floats cost it two or four times the bytes; the layer before has to
write floats for it, and kernels convert on both sides. Behind a convolution a quantized max pooling may become one
ConvActPool kernel with it.
What to try: QuantizeLinear/DequantizeLinear directly before the pooling. A max pooling commutes with quantization, so
the pair behind it may be moved before it; an average pooling needs a scale of its own.
Does not apply: where the pooling is the first or the last that quantized layers meet, or the engine's output follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.precision_map import ISLAND_FORMULA, Island, is_of_poolings, island_stake, known_ms
from trex.rules.rule import Rule
from trex.rules.wording import listed, main_operation, ms, priced

FUSED_FORMULA = (
    "time of the conversions and of the pooling + the convolution's time × output bytes / bytes moved: one ConvActPool "
    "kernel neither writes nor reads what is between them"
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding]:
    for island in seen.precision_map.islands:
        if is_of_poolings(seen, island):
            yield _finding(seen, island)


def _fused_stake(seen: Inspected, island: Island) -> dict[int, float]:
    """What could be saved if the poolings became one kernel with the convolutions that write for them."""
    stake = seen.stake((*island.layers, *island.conversions))
    for place in island.writers:
        layer = seen.layers[place]
        written, moved = layer.outputs_size_bytes, layer.total_footprint_bytes
        stake |= seen.stake([place], written / moved if written is not None and moved else 0.0)
    return stake


def _finding(seen: Inspected, island: Island) -> Finding:
    layers, flow = seen.layers, seen.flow
    names = listed(main_operation(layers[place]) for place in island.layers)
    is_maximum = all("max" in main_operation(layers[place]).lower() for place in island.layers)
    before = listed(main_operation(layers[place]) for place in (*island.writers, *island.entering))
    after = listed(main_operation(layers[place]) for place in island.leaving)
    label = listed(dict.fromkeys(flow.reads[place].label for place in island.layers))
    conversions = known_ms(seen, island.conversions)
    is_fusible = is_maximum and bool(island.writers)
    extra = (
        "a max pooling commutes with quantization: move the QuantizeLinear behind it to before it; Conv + ReLU + "
        "MaxPool may then become one ConvActPool kernel"
        if is_maximum
        else "pytorch-quantization: use QuantAdaptiveAvgPool2d, or a TensorQuantizer on the pooling's input"
    )
    return Finding(
        f"{names} runs in {label} between quantized layers: {before} writes floats for it and {after} quantizes its "
        f"result; the conversions around it take {priced(conversions, seen.total_ms)}",
        layers=tuple(layers[place].index for place in (*island.layers, *island.writers, *island.conversions)),
        about=tuple(layers[place].index for place in island.layers),
        at_stake=_fused_stake(seen, island) if is_fusible else island_stake(seen, island),
        formula=FUSED_FORMULA if is_fusible else ISLAND_FORMULA,
        evidence=(
            Evidence("time of the pooling", known_ms(seen, island.layers), "ms"),
            Evidence("conversions", ", ".join(f"{layers[p].name} {ms(seen.times_ms[p])}" for p in island.conversions)),
            Evidence("time of the conversions", conversions, "ms"),
        ),
        advice=(f"put QuantizeLinear/DequantizeLinear directly before {names}, so that it runs in INT8", extra),
        documentation=(
            "TensorRT Developer Guide: Working with Quantized Types, Q/DQ Placement Recommendations",
            "NVIDIA Technical Blog: Exploring NVIDIA TensorRT Engines with TREx",
        ),
        proof="after the change the pooling reads and writes INT8 and the kernels around it are gone",
        confidence=0.9,
    )


RULE = Rule("QDQ008", "poolings in floats between quantized layers", Severity.WARNING, check)
