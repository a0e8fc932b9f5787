"""Layouts that change for one cheap layer and change back.

What it finds: a reformat that changes the layout only, a few layers, and a reformat that restores the first layout,
both of the same type; the first layer between them is the one that needs the other layout.
Why it matters: two kernels read and write whole tensors, often for longer than the layer between them takes.
What to try: let the layer run in the layout of its neighbors: a plugin that supports more formats
(``supportsFormatCombination``), pooling or resizing with attributes that the fast kernels support, channels padded to a
multiple of the vector; or move slices, concatenations, transposes and reshapes to before the convolutions.
Does not apply: if the layers between take much longer than the reformats (limit ``times``): a better kernel in its own
layout may be worth two reformats, and the builder has compared that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.plugins import is_plugin, native_operators, plugin_kind
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import cost_of, layer_name, listed, names_of

_MAX_WIDTH = 16
_Detour = tuple[int, list[int], list[int]]
"""A reformat, the layers after it, and the reformats that restore its layout."""
_FIXES = (
    ("plugin", "support its neighbors' layout in the plugin's supportsFormatCombination, or use ONNX operators"),
    ("myelin", "the ForeignNode works in its own layout: keep transposes and reshapes away from its borders"),
    ("pool", "use a window, stride and padding of the fast kernels; channels in multiples of the vector"),
    ("slice", "move the slice, or slice channels in multiples of the layout's vector"),
    ("concat", "make the channels of each input a multiple of the layout's vector"),
    ("shuffle", "move the transpose or reshape to where the layout changes anyway"),
    ("resize", "nearest or linear with scales instead of sizes supports more layouts"),
)


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    unknown = []
    detours: list[_Detour] = []
    for position in engine.flow.copies:
        layer = engine.layers[position]
        if not layer.inputs or not layer.outputs:
            continue
        source, output = layer.inputs[0], layer.outputs[0]
        if source.data_type is not output.data_type or not source.data_type.is_known:
            continue
        if not source.format.is_known or not output.format.is_known:
            unknown.append(position)
        elif source.format.label != output.format.label:
            between, back = _way_back(engine, position, int(limits["layers"]))
            if back and not engine.sum_ms(between) > limits["times"] * engine.sum_ms([position, *back]):
                detours.append((position, between, back))
    groups: dict[tuple[str, str, str], list[_Detour]] = {}
    for detour in _disjoint(engine, detours):
        copy = engine.layers[detour[0]]
        key = (copy.inputs[0].format.label, copy.outputs[0].format.label, engine.layers[detour[1][0]].type)
        groups.setdefault(key, []).append(detour)
    for (outer, inner, kind), group in groups.items():
        yield _finding(engine, outer, inner, kind, group)
    if unknown:
        reason = "the layouts that these reformats read or write are unknown"
        yield Unchecked(reason, layers=engine.indexes(unknown))


def _disjoint(engine: AnalyzedEngine, detours: list[_Detour]) -> list[_Detour]:
    """Detours that share no reformat: if layouts alternate, the cheapest layers are the ones that could change."""
    claimed: set[int] = set()
    kept = []
    for detour in sorted(detours, key=lambda item: (engine.sum_ms(item[1]) if engine.is_timed else 0.0, item[0])):
        position, _, back = detour
        if position not in claimed and not claimed.issuperset(back):
            kept.append(detour)
            claimed.update((position, *back))
    return sorted(kept)


def _way_back(engine: AnalyzedEngine, start: int, most: int) -> tuple[list[int], list[int]]:
    """The layers on the shortest paths from this reformat to those that restore its layout, and the latter."""
    source, output = engine.layers[start].inputs[0], engine.layers[start].outputs[0]
    previous: dict[int, int] = {}
    level = [after for after in engine.after(start)[:_MAX_WIDTH] if not engine.flow.is_copy(after)]
    for _ in range(most):
        back = []
        next_level: list[int] = []
        for position in level:
            for after in engine.after(position)[:_MAX_WIDTH]:
                if after in previous or after == start:
                    continue
                previous[after] = position
                if not engine.flow.is_copy(after):
                    next_level.append(after)
                    continue
                copy = engine.layers[after]
                if (
                    copy.inputs
                    and copy.outputs
                    and copy.inputs[0].data_type is source.data_type is copy.outputs[0].data_type
                    and copy.inputs[0].format.label == output.format.label
                    and copy.outputs[0].format.label == source.format.label
                ):
                    back.append(after)
        if back:
            between: set[int] = set()
            for end in back:
                position = previous[end]
                between.add(position)
                while position in previous:
                    position = previous[position]
                    between.add(position)
            return sorted(between), back
        level = next_level[:_MAX_WIDTH]
        if not level:
            break
    return [], []


def _finding(engine: AnalyzedEngine, outer: str, inner: str, kind: str, detours: list[_Detour]) -> Finding:
    forcing = [between[0] for _, between, _ in detours]
    reformats = sorted({copy for position, _, back in detours for copy in (position, *back)})
    between = sorted({position for _, positions, _ in detours for position in positions})
    names = names_of(forcing, engine, 3)
    is_one = len(set(forcing)) == 1
    return Finding(
        f"{names} {'runs' if is_one else 'run'} in {inner} between {outer} layers, which causes {len(reformats)} "
        f"reformats: {cost_of(reformats, engine)}",
        layers=engine.indexes((*forcing, *reformats, *between)),
        main_layers=engine.indexes(forcing),
        savings=engine.savings(reformats),
        formula="time of the reformats",
        evidence=(
            Evidence("layouts", f"{outer} → {inner} → {outer}"),
            Evidence("reformats", listed((layer_name(engine.layers[position]) for position in reformats), 20)),
            Evidence("time of the reformats", engine.sum_ms(reformats), "ms"),
            Evidence("time of the layers between", engine.sum_ms(between), "ms"),
        ),
        fix=(
            *native_operators(plugin_kind(engine, p) for p in forcing if is_plugin(engine.layers[p])),
            *[fix for key, fix in _FIXES if key in kind.lower()][:1],
            f"find out why {'this layer does' if is_one else 'these layers do'} not run in {outer} ({kind}); another "
            "type may have kernels for it",
        ),
        documentation=(
            "TensorRT Developer Guide: I/O Formats, Optimizing Plugins",
            "NVIDIA/TensorRT issues 2075, 2921, 3976, 4039",
        ),
        how_to_check="the reformats are gone and the layers between are no slower",
        confidence=0.7 if engine.is_timed else 0.5,
    )


RULE = Rule(
    "REF001",
    "layouts that change for one layer and back",
    Severity.WARNING,
    check,
    {
        "layers": RuleLimit(3, "layers", "most layers between the two reformats"),
        "times": RuleLimit(4.0, "", "longest time of the layers between, in times of the reformats"),
    },
)
