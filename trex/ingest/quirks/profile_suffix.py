"""``[profile N]`` glued to layer and tensor names.

What it finds: the suffix of engines with several optimization profiles, for any N, also inside Myelin names
(``node_linear [profile 1]_myl11_2``).
Why it matters: the same layer has another name in every profile, and none in profile 0; profiles of times lack it.
What it does: takes the suffix off names and keeps N as the layer's profile.
"""

from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawBinding, RawEngine
from trex.ingest.spelling.layer_names import profile_suffix

_MARK = "[profile"


def applies(raw: RawEngine) -> bool:
    layers = [layer.name for layer in raw.layers]
    bindings = [binding.name for binding in raw.bindings or ()]
    return any(_MARK in "\n".join(names) for names in (layers, bindings, raw.names_read, raw.names_written))


def apply(raw: RawEngine) -> None:
    for layer in raw.layers:
        if _MARK in layer.name:
            layer.name, layer.profile = profile_suffix(layer.name)
    for name in (*raw.names_read, *raw.names_written):
        if _MARK in name:
            raw.tensor_names[name] = profile_suffix(raw.tensor_names.get(name, name))[0]
    if raw.bindings:
        plain: dict[str, RawBinding] = {}
        for binding in raw.bindings:
            binding.name = profile_suffix(binding.name)[0]
            plain.setdefault(binding.name, binding)
        raw.bindings = list(plain.values())


QUIRK = Quirk(Stage.NAME, applies, apply)
