"""Several JSON documents in one file.

What it finds: one JSON object per layer, or one engine after another, in the same file.
Why it matters: scripts that call the inspector once per layer and append its output write such files.
What it does: joins the layers of all documents in order, and the bindings if every engine lists its own.
"""

from typing import Any

from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawEngine


def applies(raw: RawEngine) -> bool:
    return len(raw.documents) > 1


def apply(raw: RawEngine) -> None:
    whole: dict[str, Any] = {}
    layers: list[Any] = []
    bindings: list[Any] = []
    listed = True
    for document in raw.documents:
        if isinstance(document, list):
            layers.extend(document)
            listed = False
        elif isinstance(document, dict) and "Layers" in document:
            inner = document["Layers"]
            layers.extend(inner if isinstance(inner, list) else [])
            names = document.get("Bindings")
            listed = listed and isinstance(names, list)
            bindings.extend(names if isinstance(names, list) else [])
            whole.update({key: value for key, value in document.items() if key not in ("Layers", "Bindings")})
        else:
            layers.append(document)
            listed = False
    count = len(raw.documents)
    raw.documents = [{**whole, "Layers": layers, **({"Bindings": bindings} if listed else {})}]
    raw.note(
        "concatenated-documents",
        f"the file contains {count} JSON documents; their layers were joined in order",
        severity="info",
    )


QUIRK = Quirk(Stage.DOCUMENT, applies, apply)
