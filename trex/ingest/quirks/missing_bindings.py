"""Missing list of inputs and outputs.

What it finds: files without ``Bindings`` or with an empty list (some 8.2 dumps, bare lists, rows of a build log), and
truncated files, which may have lost some.
Why it matters: without bindings the inputs and outputs of the engine are unknown.
What it does: tensors that are read but never written become inputs, and tensors that are written but never read become
outputs. Outputs that a layer also reads look like inner tensors and are missed, as the Note says.
"""

from typing import Any

from trex.core.counted import counted
from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import BINDINGS_INFERRED, RawBinding, RawEngine
from trex.ingest.spelling.weights import is_constant_name


def applies(raw: RawEngine) -> bool:
    return not raw.lists_border


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
    listed = {binding.name for binding in raw.bindings or ()}
    known = {"", *listed}
    inputs = [name for name in read if name not in written and name not in known and not is_constant_name(name)]
    outputs = [name for name in written if name not in read and name not in known]
    inferred = [RawBinding(name, True, inferred=True) for name in inputs]
    inferred += [RawBinding(name, False, inferred=True) for name in outputs]
    raw.bindings = [*(raw.bindings or ()), *inferred]
    if inferred:
        raw.note(
            BINDINGS_INFERRED,
            f"the file has no {'complete ' if listed else ''}list of bindings; {counted(len(inferred), 'binding')} "
            "inferred from tensors that are never written or never read: outputs that a layer also reads are missing",
            "trtexec lists them in its log and with --exportLayerInfo" if raw.verbosity == "log" else "",
            severity="info",
        )


def _name(raw: RawEngine, record: dict[str, Any]) -> str:
    name = record.get("Name")
    return raw.tensor_names.get(name, name) if type(name) is str else ""


QUIRK = Quirk(QuirkStage.WIRING, applies, apply)
