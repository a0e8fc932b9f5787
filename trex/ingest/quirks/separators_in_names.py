"""Control characters in layer and tensor names.

What it finds: 0x1E and 0x1F (record and unit separators) and other control characters in names and, in damaged files,
in types.
Why it matters: since 8.6 TensorRT joins the names of fused layers with them; they break terminals, SVG and joins.
What it does: gives the layer a printable name (``a+b``); the layer's record keeps the name verbatim.
"""

from trex.core.counted import counted
from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import RawEngine
from trex.ingest.spelling.printable import printable_name


def applies(raw: RawEngine) -> bool:
    return True


def apply(raw: RawEngine) -> None:
    changed = 0
    for layer in raw.layers:
        if not layer.name.isprintable():
            layer.name = printable_name(layer.name)
            changed += 1
        if not (layer.type.isprintable() and layer.subtype.isprintable()):
            layer.type, layer.subtype = printable_name(layer.type), printable_name(layer.subtype)
    for names in (raw.names_read, raw.names_written):
        if not "".join(names).isprintable():
            raw.tensor_names.update((name, printable_name(name)) for name in names if not name.isprintable())
    for binding in raw.bindings or ():
        binding.name = printable_name(binding.name)
    if changed:
        raw.note(
            "control-characters-in-names",
            f"{counted(changed, 'layer name')} with control characters (TensorRT's separators of fused names), "
            "shown as +",
            severity="info",
        )


QUIRK = Quirk(QuirkStage.TEXT, applies, apply)
