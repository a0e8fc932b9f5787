"""``[profile N]`` in layer and tensor names.

What it finds: the suffix in engines with several optimization profiles, for any N, also within Myelin names
(``node_linear [profile 1]_myl11_2``).
Why it matters: a layer has a different name in every profile; profile 0 and the profiles of times have no suffix.
What it does: removes the suffix from names and keeps N as the layer's profile.
"""

from trex.ingest.quirk import Quirk, QuirkStage
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


QUIRK = Quirk(QuirkStage.NAME, applies, apply)
