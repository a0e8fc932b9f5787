"""Engines nested in another object.

What it finds: ``Layers`` one level down, for example one entry per subgraph in files from Torch-TensorRT users, or the
object of a single layer.
Why it matters: a model that was split into several engines is saved as one file with an engine per name.
What it does: uses the nested engine with its other keys; joins the layers of several engines in order and says so.
"""

from typing import Any

from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawEngine


def _inner(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {key: value for key, value in document.items() if isinstance(value, dict) and "Layers" in value}


def applies(raw: RawEngine) -> bool:
    document = raw.document
    return len(raw.documents) == 1 and isinstance(document, dict) and "Layers" not in document


def apply(raw: RawEngine) -> None:
    document = raw.document
    engines = _inner(document)
    if not engines:
        if "LayerType" in document or "Inputs" in document:
            raw.documents = [{"Layers": [document]}]
        return
    layers: list[Any] = []
    bindings: list[Any] = []
    for engine in engines.values():
        layers.extend(engine["Layers"] if isinstance(engine["Layers"], list) else [])
        bindings.extend(engine["Bindings"] if isinstance(engine.get("Bindings"), list) else [])
    own = {
        key: value for engine in engines.values() for key, value in engine.items() if key not in ("Layers", "Bindings")
    }
    rest = own | {key: value for key, value in document.items() if key not in engines}
    # A partial list would make the inputs of the other engines look like inner tensors.
    listed = bindings and all(isinstance(engine.get("Bindings"), list) for engine in engines.values())
    raw.documents = [{**rest, "Layers": layers, **({"Bindings": bindings} if listed else {})}]
    if len(engines) > 1:
        raw.note(
            "several-engines-in-one-file",
            f"the file contains {len(engines)} engines ({', '.join(list(engines)[:4])}); their layers were joined",
        )


QUIRK = Quirk(Stage.DOCUMENT, applies, apply)
