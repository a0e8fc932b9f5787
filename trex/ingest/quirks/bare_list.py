"""A list of layers without an enclosing object.

What it finds: a file that is a JSON list of layer records (or of layer names) instead of ``{"Layers": […]}``.
Why it matters: tools that collect layers one by one write such files, without a list of bindings.
What it does: uses the list as the layers.
"""

from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawEngine


def applies(raw: RawEngine) -> bool:
    return len(raw.documents) == 1 and isinstance(raw.document, list)


def apply(raw: RawEngine) -> None:
    raw.documents = [{"Layers": raw.document}]


QUIRK = Quirk(Stage.DOCUMENT, applies, apply)
