"""Engine and profile → the engine with the DLA's rows, which only the profile has, as layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trex.core.counted import counted
from trex.core.engine import Engine
from trex.core.layer import Layer
from trex.core.note import Note
from trex.core.timings import LayerTimes
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.spelling.dla_names import COPY_OUT, PART, dla_row_types


def with_dla_rows(engine: Engine, layer_times: LayerTimes | None) -> Engine:
    """The engine with a layer for each copy and wait of the DLA, after the layer that precedes it in the profile.

    They have a name and a type. Unchanged if the profile has no such row, or the engine has them already, but for a
    Note if the run time of the DLA is in a copy's row.
    """
    names = [record.name for record in layer_times.records] if layer_times else []
    kinds = dla_row_types(names)
    if layer_times is None or not any(kinds) or len(engine.profiles) > 1:
        return engine
    engine = replace(engine, notes=(*engine.notes, *_hidden_time(layer_times, kinds)))
    rows = engine_from_documents([{"Layers": names}], layer_times.source).layers
    following: dict[str, list[Layer]] = {}
    before = ""
    for name, kind, row in zip(names, kinds, rows, strict=True):
        if name in engine.by_name:
            before = name
        elif kind:
            following.setdefault(before, []).append(row)
    parts = {name: row for name, kind, row in zip(names, kinds, rows, strict=True) if kind == PART}
    layers = [*following.pop("", ())]
    for layer in engine.layers:
        if layer.name in parts and "LayerType" not in layer.raw:  # a name, taken for a region of the GPU
            layer = replace(layer, type=PART, subtype=PART)
        layers += [layer, *following.pop(layer.name, ())]
    added = len(layers) - len(engine.layers)
    if not added:
        return engine
    profile = engine.profiles[0] if engine.profiles else 0
    note = Note(
        "dla-rows-from-profile",
        f"{counted(added, 'copy or wait', 'copies and waits')} of the DLA are only in the profile and became layers "
        "without tensors",
        "trex explain dla",
        layer_times.source,
        "info",
    )
    numbered = (replace(layer, index=index, profile=profile) for index, layer in enumerate(layers))
    return replace(engine.with_layers(numbered), notes=(*engine.notes, note))


def _hidden_time(layer_times: LayerTimes, kinds: Sequence[str]) -> Iterator[Note]:
    """A Note if copies from the DLA take longer than the parts before them (see ``trex explain dla``)."""
    times = dict.fromkeys((PART, COPY_OUT), 0.0)
    for record, kind in zip(layer_times.records, kinds, strict=True):
        if kind in times:
            times[kind] += record.ms or 0.0
    if times[COPY_OUT] > times[PART]:
        message = (
            f"the DLA's own run time is probably in the rows '… from nvm' ({times[COPY_OUT]:.4g} ms), which end when "
            f"it is done, not in its parts ({times[PART]:.4g} ms)"
        )
        yield Note("dla-time-in-copies", message, "trex explain dla", layer_times.source, "info")
