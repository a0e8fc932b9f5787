"""How many reformats there are, and their share of the time.

What it finds: engines whose reformats between layers take more than a few percent of the time, counted by what they do:
quantize, dequantize, change the float type, change only the layout, or convert an input or output; and the slowest.
Where the file has no types or layouts of a reformat, what it does is unknown.
Why it matters: reformats compute nothing. Check their share first in an engine that is slower than expected.
What to try: begin with the slowest. Where quantization stops, quantize the neighbor that runs in floats, or neither
(QDQ001, QDQ002, QDQ008). Where only the layout changes, one neighbor needs another one (REF001). Where a float type
changes, remove the Cast from the model, or run both neighbors in one precision.
Does not apply: reformats at inputs and outputs (REF003), which are expected; a share of the others below the limit;
engines whose reformats other findings report one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.core.layer import Layer
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import PROFILE_HINT, TREX_BLOG, cost, names_of, type_and_layout

_MAX_SHOWN = 8
_FIXES = {
    ("quantize", "dequantize"): "where quantization stops: quantize the neighbor that runs in floats, or neither",
    ("convert",): "where a float type changes: remove the Cast, or run both neighbors in one precision",
    ("layout",): "where only the layout changes: give both neighbors one precision, and channels in whole vectors "
    "(multiples of 8 in FP16, of 32 in INT8)",
    ("unknown",): "trtexec --profilingVerbosity=detailed: the new engine shows what each of them converts",
}
_WORDS = {
    "binding": ("converts an input or output", "convert inputs and outputs"),
    "quantize": ("quantizes", "quantize"),
    "dequantize": ("dequantizes", "dequantize"),
    "convert": ("changes the float type", "change the float type"),
    "layout": ("changes the layout", "change the layout"),
    "unknown": ("of unknown types or layouts", "of unknown types or layouts"),
}


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    copies = [position for position in engine.flow.copies if position not in engine.dla_waits]
    kinds: dict[str, list[int]] = {kind: [] for kind in _WORDS}
    for position in copies:
        kinds[_kind(engine, position)].append(position)
    inside = [position for kind, positions in kinds.items() if kind != "binding" for position in positions]
    if not inside:
        return
    if not engine.is_timed:
        yield Unchecked(f"the times of {counted(len(copies), 'reformat')} are unknown", PROFILE_HINT)
        return
    if not engine.takes_share(engine.sum_ms(inside), limits["share"]):
        return
    present = {kind: positions for kind, positions in kinds.items() if positions}
    parts = [f"{len(positions)} {_WORDS[kind][len(positions) > 1]}" for kind, positions in present.items()]
    cost_ms = engine.sum_ms(copies)
    types = Counter(engine.layers[position].type for position in copies)
    by_type = ", ".join(f"{count} {type_}" for type_, count in types.most_common()) if len(types) > 1 else ""
    subject = counted(len(copies), "reformat")
    slowest = engine.slowest_first(inside)[:_MAX_SHOWN]
    yield Finding(
        f"{subject}{f' ({by_type})' if by_type else ''} {'takes' if len(copies) == 1 else 'take'} "
        f"{cost(cost_ms, engine)}: {', '.join(parts)}",
        layers=engine.indexes((*inside, *copies)),
        main_layers=engine.indexes(inside),
        formula="no savings of its own: the findings on single reformats count their time",
        evidence=(
            Evidence("reformats", len(copies)),
            Evidence("their time", cost_ms, "ms"),
            *(Evidence(_WORDS[kind][1], engine.sum_ms(positions), "ms") for kind, positions in present.items()),
            *(Evidence(_between(engine, position), engine.times[position], "ms") for position in slowest),
        ),
        fix=(
            f"begin with the slowest: {_between(engine, slowest[0])}",
            *(f"then {text}" for causes, text in _FIXES.items() if any(kinds[cause] for cause in causes)),
        ),
        documentation=(TREX_BLOG,),
        how_to_check="the new engine has fewer Reformat layers, and their times add up to less",
    )


def _between(engine: AnalyzedEngine, position: int) -> str:
    """``FP32 NCHW → FP16 NHWC8, Conv_1 → Conv_2``: what a reformat converts, and its neighbors; its name if unknown."""
    layer = engine.layers[position]
    if not layer.inputs and not layer.outputs:
        return names_of([position], engine)
    formats = " → ".join(type_and_layout(tensors[0]) for tensors in (layer.inputs, layer.outputs) if tensors)
    before, after = (names_of(side, engine) for side in (engine.before(position), engine.after(position)))
    return f"{formats}, {before or 'a stored tensor'} → {after or 'an unknown reader'}"


def _kind(engine: AnalyzedEngine, position: int) -> str:
    flow = engine.flow
    if flow.is_at_binding(position):
        return "binding"
    if flow.quantizes(position):
        return "quantize"
    if flow.dequantizes(position):
        return "dequantize"
    if flow.is_conversion(position):
        return "convert"
    return "layout" if _has_layouts(engine.layers[position]) else "unknown"


def _has_layouts(layer: Layer) -> bool:
    sides = (layer.inputs[:1], layer.outputs[:1])
    return all(tensor.data_type.is_known and tensor.format.is_known for side in sides for tensor in side) and all(sides)


RULE = Rule(
    "REF005",
    "share of reformats in the time",
    Severity.WARNING,
    check,
    {"share": RuleLimit(2.0, "%", "least share of reformats between layers in the engine's time")},
    yields_to=("REF*", "QDQ*", "PREC*", "MOVE*", "PLUG*"),
)
