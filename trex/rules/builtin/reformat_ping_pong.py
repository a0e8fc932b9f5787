"""Layouts that change for one cheap layer and change back.

What it finds: a reformat that changes the layout only, a few layers, and a reformat that restores the first layout,
both of the same type; the first layer between them is the one that forces its layout on the others.
Why it matters: two kernels read and write whole tensors, often for longer than the layer between them takes.
What to try: help the layer to work in the layout around it: a plugin that supports more formats
(``supportsFormatCombination``), pooling or resizing with attributes that the fast kernels take, channels padded to a
multiple of the vector; or move slices, concatenations, transposes and reshapes to before the convolutions.
Does not apply: where the layers between take much longer than the reformats (limit ``times``): a better kernel in its
own layout may be worth two reformats, and the builder has weighed that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.precision_map import known_ms
from trex.rules.rule import Limit, Rule
from trex.rules.wording import listed, main_operation, priced

_MOST_PLACES = 16
_Turn = tuple[int, list[int], list[int]]
"""A reformat, the layers behind it, and the reformats that restore its layout."""
_ADVICE = (
    (
        "plugin",
        "let the plugin support the layout around it in supportsFormatCombination, or replace it by ONNX operators",
    ),
    ("myelin", "what lies in the ForeignNode works in its own layout: keep transposes and reshapes out of its borders"),
    (
        "pool",
        "see whether its window, stride and padding are what the fast kernels take; channels a multiple of the vector",
    ),
    ("slice", "move the slice, or take channels in multiples of the layout's vector"),
    ("concat", "make the channels of each input a multiple of the layout's vector"),
    ("shuffle", "move the transpose or reshape to where the layout changes anyway"),
    ("resize", "nearest or linear with scales instead of sizes is supported in more layouts"),
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    flow = seen.flow
    silent = []
    turns: list[_Turn] = []
    for place in flow.copies:
        layer = seen.layers[place]
        if not layer.inputs or not layer.outputs:
            continue
        source, output = layer.inputs[0], layer.outputs[0]
        if source.data_type is not output.data_type or not source.data_type.is_known:
            continue
        if not source.format.is_known or not output.format.is_known:
            silent.append(layer.index)
        elif source.format.label != output.format.label:
            between, back = _way_back(seen, place, int(limits["layers"]))
            if back and _is_cheap(seen, place, between, back, limits["times"]):
                turns.append((place, between, back))
    groups: dict[tuple[str, str, str], list[_Turn]] = {}
    for turn in _apart(seen, turns):
        copy = seen.layers[turn[0]]
        key = (copy.inputs[0].format.label, copy.outputs[0].format.label, seen.layers[turn[1][0]].type)
        groups.setdefault(key, []).append(turn)
    for (outer, inner, kind), alike in groups.items():
        yield _finding(seen, outer, inner, kind, alike)
    if silent:
        yield CannotTell("the layouts that these reformats read or write are unknown", "", tuple(silent))


def _apart(seen: Inspected, turns: list[_Turn]) -> list[_Turn]:
    """Turns that share no reformat: where layouts go to and fro, the cheapest layers are those that could give in."""
    claimed: set[int] = set()
    kept = []
    for turn in sorted(turns, key=lambda each: (known_ms(seen, each[1]) if seen.is_timed else 0.0, each[0])):
        place, _, back = turn
        if place not in claimed and not claimed.issuperset(back):
            kept.append(turn)
            claimed.update((place, *back))
    return sorted(kept)


def _way_back(seen: Inspected, place: int, most: int) -> tuple[list[int], list[int]]:
    """The layers on the shortest ways from this reformat to one that restores its layout, and those that do."""
    source, output = seen.layers[place].inputs[0], seen.layers[place].outputs[0]
    came: dict[int, int] = {}
    level = [after for after in seen.after(place)[:_MOST_PLACES] if not seen.flow.is_copy(after)]
    for _ in range(most):
        back = []
        further: list[int] = []
        for each in level:
            for after in seen.after(each)[:_MOST_PLACES]:
                if after in came or after == place:
                    continue
                came[after] = each
                if not seen.flow.is_copy(after):
                    further.append(after)
                    continue
                copy = seen.layers[after]
                if (
                    copy.inputs
                    and copy.outputs
                    and copy.inputs[0].data_type is source.data_type is copy.outputs[0].data_type
                    and copy.inputs[0].format.label == output.format.label
                    and copy.outputs[0].format.label == source.format.label
                ):
                    back.append(after)
        if back:
            between: dict[int, None] = {}
            for found in back:
                step = came[found]
                while True:
                    between[step] = None
                    if step not in came:
                        break
                    step = came[step]
            return sorted(between), back
        level = further[:_MOST_PLACES]
        if not level:
            break
    return [], []


def _is_cheap(seen: Inspected, place: int, between: list[int], back: list[int], times: float) -> bool:
    reformats, layers = known_ms(seen, [place, *back]), known_ms(seen, between)
    return not (layers > times * reformats)


def _finding(seen: Inspected, outer: str, inner: str, kind: str, turns: list[_Turn]) -> Finding:
    layers = seen.layers
    forcing = [between[0] for _, between, _ in turns]
    reformats = sorted({each for place, _, back in turns for each in (place, *back)})
    between = sorted({each for _, some, _ in turns for each in some})
    cost = known_ms(seen, reformats)
    names = listed(main_operation(layers[each]) for each in forcing)
    verb, whose = ("forces", "its") if len(set(forcing)) == 1 else ("force", "their")
    return Finding(
        f"{names} {verb} {inner} on {whose} surroundings: {len(reformats)} reformats turn {outer} → {inner} → {outer}: "
        f"{priced(cost, seen.total_ms)}",
        layers=tuple(layers[each].index for each in dict.fromkeys((*forcing, *reformats, *between))),
        about=tuple(layers[each].index for each in forcing),
        at_stake=seen.stake(reformats),
        formula="time of the reformats",
        evidence=(
            Evidence("layouts", f"{outer} → {inner} → {outer}"),
            Evidence("reformats", listed((layers[each].name for each in reformats), 20)),
            Evidence("time of the reformats", cost, "ms"),
            Evidence("time of the layers between", known_ms(seen, between), "ms"),
        ),
        advice=(
            *[words for key, words in _ADVICE if key in kind.lower()][:1],
            f"see why {names} ({kind}) {'do' if whose == 'their' else 'does'} not run in {outer}; with the layers "
            "between in another precision there may be kernels for it",
        ),
        documentation=(
            "TensorRT Developer Guide: I/O Formats, Optimizing Plugins",
            "NVIDIA/TensorRT issues 2075, 2921, 3976, 4039",
        ),
        proof="after the change the reformats are gone and the layers between are no slower",
        confidence=0.7 if seen.is_timed else 0.5,
    )


RULE = Rule(
    "REF001",
    "layouts that change for one layer and back",
    Severity.WARNING,
    check,
    {
        "layers": Limit(3, "layers", "as many layers at most between the two reformats"),
        "times": Limit(4.0, "", "told while the layers between take at most so many times what the reformats take"),
    },
)
