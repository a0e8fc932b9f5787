"""Layers outside one ``{"Layers": […]}`` object.

What it finds: a list of layer records or names; one JSON object per layer, or one engine after another, in the same
file; ``Layers`` one level down, one entry per engine.
Why it matters: scripts that call the inspector once per layer and append its output, and Torch-TensorRT users whose
model was split into several engines, write such files.
What it does: joins the layers in order, and the bindings if every engine lists its own, and says so; keeps the other
keys.
"""

from typing import Any

from trex.core.counted import counted
from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import RawEngine


def applies(raw: RawEngine) -> bool:
    document = raw.document
    is_engine = isinstance(document, dict) and "Layers" in document
    return len(raw.documents) > 1 or (isinstance(document, dict | list) and not is_engine)


def apply(raw: RawEngine) -> None:
    engines: list[dict[str, Any]] = []
    others: dict[str, Any] = {}
    for document in raw.documents:
        nested = _nested(document) if isinstance(document, dict) and "Layers" not in document else {}
        engines += list(nested.values()) or [_engine(document)]
        if nested:
            others.update({key: value for key, value in document.items() if key not in nested})
    if engines == [{}]:
        return
    joined: dict[str, Any] = {}
    layers: list[Any] = []
    bindings: list[Any] = []
    for engine in engines:
        layers += engine["Layers"] if isinstance(engine.get("Layers"), list) else []
        bindings += engine["Bindings"] if isinstance(engine.get("Bindings"), list) else []
        joined.update(engine)
    joined.update(others, Layers=layers)
    # A partial list would make the inputs of the other engines look like inner tensors.
    joined.pop("Bindings", None)
    if all(isinstance(engine.get("Bindings"), list) for engine in engines):
        joined["Bindings"] = bindings
    if len(raw.documents) > 1:
        message = f"the file contains {len(raw.documents)} JSON documents; their layers were joined in order"
        raw.note("concatenated-documents", message, severity="info")
    elif len(engines) > 1:
        names = ", ".join(list(_nested(raw.document))[:4])
        message = f"the file contains {counted(len(engines), 'engine')} ({names}); their layers were joined"
        raw.note("several-engines-in-one-file", message)
    raw.documents = [joined]


def _nested(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {key: value for key, value in document.items() if isinstance(value, dict) and "Layers" in value}


def _engine(document: Any) -> dict[str, Any]:
    """An object with Layers as it is; a list of layers, or the record of one layer, as such an object."""
    if isinstance(document, list):
        return {} if document and all(map(_is_of_other_tool, document)) else {"Layers": document}
    if not isinstance(document, dict) or "Layers" in document:
        return document if isinstance(document, dict) else {"Layers": [document]}
    return {"Layers": [document]} if not document.keys().isdisjoint(("Name", "LayerType", "Inputs")) else {}


def _is_of_other_tool(record: Any) -> bool:
    """Whether it is an event of a trace (Chrome's format, ONNX Runtime), or a row of ``nsys stats --format json``."""
    return isinstance(record, dict) and ({"ph", "ts"} <= record.keys() or "Total Time (ns)" in record)


QUIRK = Quirk(QuirkStage.DOCUMENT, applies, apply)
