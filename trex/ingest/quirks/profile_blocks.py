"""Layer names without an optimization profile.

What it finds: in an engine with several profiles, Myelin layers without a ``[profile N]`` suffix.
Why it matters: if all counted as profile 0, an engine with twelve profiles would look twelve times as slow.
What it does: assigns a Myelin region to the profile in the name of any of its layers or tensors, otherwise to the
profile of the layers before it. Other layers without a suffix belong to profile 0.
"""

from trex.core.counted import counted
from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import RawEngine, RawLayer
from trex.ingest.spelling.layer_names import myelin_region, profile_suffix


def applies(raw: RawEngine) -> bool:
    return any(layer.profile for layer in raw.layers)


def apply(raw: RawEngine) -> None:
    regions = [myelin_region(layer.name) for layer in raw.layers]
    profiles: dict[int, int] = {}
    for layer, region in zip(raw.layers, regions):
        if region is not None and region not in profiles:
            profile = layer.profile if layer.profile is not None else _profile_of_tensors(layer)
            if profile is not None:
                profiles[region] = profile
    current = 0
    by_position = 0
    for layer, region in zip(raw.layers, regions):
        if layer.profile is None:
            if region is None:
                layer.profile = 0
            elif region in profiles:
                layer.profile = profiles[region]
            else:
                layer.profile = current
                by_position += 1
        current = layer.profile
    if by_position:
        raw.note(
            "profile-by-position",
            f"{counted(by_position, 'Myelin layer')} without an optimization profile in the name: assigned to the "
            "profile of the layers before",
            severity="info",
        )


def _profile_of_tensors(layer: RawLayer) -> int | None:
    for record in (*layer.inputs, *layer.outputs):
        name = record.get("Name") if type(record) is dict else None
        if type(name) is str and "[profile" in name:
            return profile_suffix(name)[1]
    return None


QUIRK = Quirk(QuirkStage.PROFILE, applies, apply)
