"""Copies that slices and concatenations leave behind.

What it finds: reformats and copies that the builder made for a slice, a split, a concatenation or the output of a
fused product: by their origin (``SLICE``, ``CONCAT``), or by names that end in ``copy``; grouped by the tensor they
take apart or put together.
Why it matters: taking apart and putting together can be free, a view of the memory; as a copy it reads and writes
everything once more.
What to try: concatenate along the first dimension after the batch in memory (channels in NCHW), with parts that are
multiples of the layout's vector; let one layer write each part; move a plugin or slice away from the concatenation;
split the weights of a product rather than its result.
Does not apply: copies of a few microseconds in all, below the limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from trex.core.layer import Layer
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.precision_map import known_ms
from trex.rules.rule import Limit, Rule
from trex.rules.wording import listed, main_operation, priced, shortened

_ORIGINS = {"SLICE": "slice", "SPLIT": "slice", "CONCAT": "concatenation", "CONCATENATION": "concatenation"}
_COPY = re.compile(r"(?:[ _]copy(?:_(?:input|output)(?:_?\d+)?)?|[ _]clone(?:_\d+)?)$", re.IGNORECASE)
_COPYING = ("Reformat", "MyelinReformat", "Copy", "copy", "reformat")


def kind_of_copy(layer: Layer) -> str:
    """``slice``, ``concatenation`` or ``copy``; "" for a layer that is no such copy."""
    origin = layer.raw.get("Origin")
    if isinstance(origin, str) and origin.upper() in _ORIGINS:
        return _ORIGINS[origin.upper()]
    if not _COPY.search(layer.name):
        return ""
    name = layer.name.lower()
    return "concatenation" if "concat" in name else "slice" if "slice" in name or "split" in name else "copy"


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    groups: dict[tuple[str, str], list[int]] = {}
    for place in seen.of_type(*_COPYING):
        layer = seen.layers[place]
        kind = kind_of_copy(layer)
        if kind:
            ends = layer.outputs if kind == "concatenation" else layer.inputs
            groups.setdefault((kind, ends[0].name if ends else layer.name), []).append(place)
    silent = []
    for (kind, tensor), places in groups.items():
        time = known_ms(seen, places)
        if not seen.is_timed:
            silent += [seen.layers[place].index for place in places]
        if seen.is_timed and not time * 100 >= limits["share"] * seen.total_ms:
            continue
        yield _finding(seen, kind, tensor, places)
    if silent:
        yield CannotTell("what these copies cost is unknown without a profile", "", tuple(silent))


def _finding(seen: Inspected, kind: str, tensor: str, places: list[int]) -> Finding:
    layers = [seen.layers[place] for place in places]
    time = known_ms(seen, places)
    sizes = [each.size_bytes for layer in layers for each in layer.outputs]
    copied = sum(size for size in sizes if size is not None) if sizes and None not in sizes else None
    neighbors = seen.after if kind == "concatenation" else seen.before
    beside = {each: None for place in places for each in neighbors(place)}
    around = listed(main_operation(seen.layers[each]) for each in beside)
    is_plugin = any("plugin" in seen.layers[each].type.lower() for each in beside)
    verb = "puts" if kind == "concatenation" else "takes"
    what = {"slice": "taken apart", "concatenation": "put together", "copy": "copied"}[kind]
    number = len(places)
    return Finding(
        f"{shortened(tensor)} is {what} by {number} cop{'y' if number == 1 else 'ies'} instead of a view"
        f"{f' ({around})' if around else ''}: {priced(time, seen.total_ms)}",
        layers=tuple(layer.index for layer in layers),
        at_stake=seen.stake(places),
        formula="time of the copies",
        evidence=(
            Evidence("copies", listed((layer.name for layer in layers), 20)),
            Evidence("time of the copies", time, "ms"),
            Evidence("bytes written", copied, "bytes"),
        ),
        advice=(
            *(("fold the slice or concatenation into the plugin, which sees its whole tensor",) if is_plugin else ()),
            "split the weights instead of the result: one product for each part writes where it is read"
            if verb == "takes"
            else "concatenate channels in multiples of the layout's vector, each part written by one layer only",
            "reorder: slice or concatenate before the layout changes, along the outermost dimension behind the batch",
        ),
        documentation=("NVIDIA/TensorRT issues 1117, 2075, 4345",),
        proof="the next engine has no layer of these names",
        confidence=0.6,
        tensors=(tensor,),
    )


RULE = Rule(
    "MOVE001",
    "copies of slices and concatenations",
    Severity.WARNING,
    check,
    {"share": Limit(0.25, "%", "share of the engine's time from which the copies of one tensor are told")},
)
