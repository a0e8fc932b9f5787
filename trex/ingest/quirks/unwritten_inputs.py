"""Inputs of Myelin layers that nothing writes: their weights.

What it finds: tensors read by ``gemm``, ``conv``, ``kgen`` … layers that no layer writes and that are no bindings.
Why it matters: Myelin layers have no ``Weights`` entry; their stored parameters appear as ordinary inputs, and counted
as activations they distort every memory figure.
What it does: counts them as the layer's weights. Handles of the L2 cache policy (``l2_cache_policy_inputs_…``) are no
data and are left alone.
"""

from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawEngine, RawLayer


def applies(raw: RawEngine) -> bool:
    listed = raw.bindings and not any(binding.inferred for binding in raw.bindings)
    return bool(listed) and any(_is_myelin(layer) for layer in raw.layers)


def _is_myelin(layer: RawLayer) -> bool:
    return layer.subtype[:1].islower()


def apply(raw: RawEngine) -> None:
    names = raw.tensor_names
    written = {
        names.get(name, name)
        for layer in raw.layers
        for record in layer.outputs
        if type(record) is dict and type(name := record.get("Name")) is str
    }
    written.update(binding.name for binding in raw.bindings or ())
    found = 0
    for layer in raw.layers:
        if not _is_myelin(layer):
            continue
        unwritten = tuple(
            position
            for position, record in enumerate(layer.inputs)
            if type(record) is dict
            and type(name := record.get("Name")) is str
            and names.get(name, name) not in written
            and not name.startswith("l2_cache")
        )
        if unwritten:
            layer.unwritten = unwritten
            found += len(unwritten)
    if found:
        raw.note(
            "unwritten-inputs-are-weights",
            f"{found} inputs of Myelin layers are written by no layer and are no bindings: counted as weights",
            severity="info",
        )


QUIRK = Quirk(Stage.WIRING, applies, apply)
