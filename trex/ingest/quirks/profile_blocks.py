"""Optimization profiles of layers whose names do not tell.

What it finds: in an engine with several profiles, Myelin layers without a ``[profile N]`` suffix.
Why it matters: counted under profile 0, the layers of twelve profiles look like one engine twelve times as slow.
What it does: a Myelin region belongs to the profile that any of its layers or tensors names; a region that names
none belongs to the block of layers it stands in. Layers of TensorRT itself without a suffix are profile 0's.
"""

from trex.core.counted import counted
from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawEngine, RawLayer
from trex.ingest.spelling.layer_names import myelin_region, profile_suffix


def applies(raw: RawEngine) -> bool:
    return any(layer.profile for layer in raw.layers)


def apply(raw: RawEngine) -> None:
    regions = [myelin_region(layer.name) for layer in raw.layers]
    told: dict[int, int] = {}
    for layer, region in zip(raw.layers, regions):
        if region is not None and region not in told:
            profile = layer.profile if layer.profile is not None else _profile_of_tensors(layer)
            if profile is not None:
                told[region] = profile
    current = 0
    placed = 0
    for layer, region in zip(raw.layers, regions):
        if layer.profile is None:
            if region is None:
                layer.profile = 0
            elif region in told:
                layer.profile = told[region]
            else:
                layer.profile = current
                placed += 1
        current = layer.profile
    if placed:
        raw.note(
            "profile-by-position",
            f"{counted(placed, 'Myelin layer')} without the name of an optimization profile, counted to that of the "
            "layers "
            "before",
            severity="info",
        )


def _profile_of_tensors(layer: RawLayer) -> int | None:
    for record in (*layer.inputs, *layer.outputs):
        name = record.get("Name") if type(record) is dict else None
        if type(name) is str and "[profile" in name:
            return profile_suffix(name)[1]
    return None


QUIRK = Quirk(Stage.PROFILE, applies, apply)
