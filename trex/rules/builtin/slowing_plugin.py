"""Plugins that slow down their neighbors.

What it finds: plugin layers with adjacent reformats, and whether all their tensors are linear (row-major).
Why it matters: TensorRT fuses nothing into a plugin and can choose no format that it does not support. A plugin that
supports only FP32 in linear layout causes conversions before and after it.
What to try: ``supportsFormatCombination`` for the neighbors' formats (FP16 with channels last, INT8 in NC/32HW32); the
ONNX operator instead of the plugin if TensorRT has one by now (InstanceNormalization, LayerNormalization,
GroupNormalization, GELU, ScatterND, NMS, attention), which also fuses.
Does not apply: plugins without adjacent reformats whose own time is small. The savings do not contain lost fusions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import COPIES
from trex.rules.plugins import is_plugin, native_operators, plugin_kind
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import DETAILED_HINT, cost, listed, names_of, percent


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    groups: dict[str, list[int]] = {}
    for position, layer in enumerate(engine.layers):
        if is_plugin(layer):
            groups.setdefault(plugin_kind(engine, position), []).append(position)
    unknown: list[int] = []
    for kind, positions in groups.items():
        if not any(engine.layers[position].lists_tensors and engine.layers[position].inputs for position in positions):
            unknown += positions
            continue
        reformats = [neighbor for neighbor in engine.adjacent(positions) if engine.layers[neighbor].type in COPIES]
        own_ms = sum(engine.savings(positions).values())
        if reformats or (engine.is_timed and engine.takes_share(own_ms, limits["share"])):
            yield _finding(engine, kind, positions, reformats, own_ms)
    if unknown:
        yield Unchecked(
            f"inputs and outputs of {counted(len(unknown), 'plugin')} are unknown, so are adjacent reformats",
            DETAILED_HINT,
            engine.indexes(unknown),
        )


def _is_linear(engine: AnalyzedEngine, position: int) -> bool:
    tensors = (*engine.layers[position].inputs, *engine.layers[position].outputs)
    return bool(tensors) and all(tensor.format.layout == "linear" for tensor in tensors)


def _finding(engine: AnalyzedEngine, kind: str, positions: list[int], reformats: list[int], own_ms: float) -> Finding:
    savings = engine.savings(reformats)
    is_one = len(positions) == 1
    is_linear = all(_is_linear(engine, position) for position in positions)
    message = f"The plugin {kind}" if is_one else f"{len(positions):,} plugin layers ({kind})"
    if own_ms:
        message += f", {cost(own_ms, engine)},"
    if reformats:
        number = counted(len(reformats), "adjacent reformat")
        time = f", {cost(sum(savings.values()), engine)}" if savings else ""
        message += f" {'causes' if is_one else 'cause'} {number}{time}"
    else:
        message += f" {'does' if is_one else 'do'} not fuse with {'its' if is_one else 'their'} neighbors"
    if is_linear:
        types = listed(tensor.precision for p in positions for tensor in engine.layers[p].inputs if tensor.name)
        message += f"; all tensors are linear ({types})"
    fixes = list(native_operators([kind]))
    if is_linear:
        fixes.append("support kHWC8 (FP16) or kCHW32 (INT8) in supportsFormatCombination, as the neighbors use")
    fixes.append("replace the plugin by ONNX operators that TensorRT fuses, and compare")
    return Finding(
        f"{message}: {names_of(positions[:3], engine)}",
        layers=engine.indexes((*positions, *reformats)),
        main_layers=engine.indexes(positions),
        savings=savings,
        formula="time of the adjacent reformats" if savings else "",
        evidence=(
            Evidence("plugin layers", len(positions)),
            Evidence("adjacent reformats", len(reformats)),
            Evidence("time of the plugins", own_ms or None, "ms"),
            Evidence("their share", percent(own_ms, engine.total_ms) or None),
            Evidence("only linear formats", is_linear),
        ),
        fix=tuple(fixes),
        documentation=(
            "TensorRT Developer Guide: Extending TensorRT with Custom Layers",
            "TensorRT Developer Guide: Optimizing for Plugins",
            "NVIDIA/TensorRT issues 1489, 3573, 4029",
        ),
        how_to_check="the new engine has no reformat next to the plugin, or no plugin, and its whole time is lower",
        confidence=0.7 if is_linear and reformats else 0.5,
        severity=None if reformats else Severity.NOTE,
    )


RULE = Rule(
    "PLUG001",
    "plugin that slows down its neighbors",
    Severity.WARNING,
    check,
    {"share": RuleLimit(5.0, "%", "least share of a plugin without reformats in the time")},
)
