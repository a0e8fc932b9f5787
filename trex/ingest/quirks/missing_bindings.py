"""No list of the engine's inputs and outputs.

What it finds: a file without ``Bindings``, or with none in it (some 8.2 dumps, bare lists, rows of a build log).
Why it matters: without them the border of the graph is unknown.
What it does: takes tensors that are read but never written as inputs, and those written but never read as outputs.
"""

from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawBinding, RawEngine


def applies(raw: RawEngine) -> bool:
    return not raw.bindings


def apply(raw: RawEngine) -> None:
    read: dict[str, None] = {}
    written: dict[str, None] = {}
    for layer in raw.layers:
        for record in layer.inputs:
            if type(record) is dict:
                read.setdefault(_name(raw, record))
        for record in layer.outputs:
            if type(record) is dict:
                written.setdefault(_name(raw, record))
    raw.bindings = [RawBinding(name, True, inferred=True) for name in read if name and name not in written]
    raw.bindings += [RawBinding(name, False, inferred=True) for name in written if name and name not in read]
    if raw.bindings:
        raw.note(
            "bindings-inferred",
            f"the file has no list of bindings; {len(raw.bindings)} were inferred from tensors that are never written "
            "or never read",
            severity="info",
        )


def _name(raw: RawEngine, record: dict) -> str:
    name = record.get("Name")
    return raw.tensor_names.get(name, name) if type(name) is str else ""


QUIRK = Quirk(Stage.WIRING, applies, apply)
