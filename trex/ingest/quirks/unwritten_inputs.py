"""Weights that appear as inputs of Myelin layers.

What it finds: tensors that ``gemm``, ``conv``, ``kgen`` … layers read, that no layer writes and that are no bindings;
in a file without bindings, those whose names say that they are constants (``__mye583_dconst``). Layers that list their
``Constants`` have no others among their inputs.
Why it matters: Myelin layers have no ``Weights`` entry: their parameters appear as inputs. Counted as activations, they
would distort every memory figure.
What it does: counts them as weights of the layer, except for handles of the L2 cache policy
(``l2_cache_policy_inputs_…``), which are no data, and tensors with a dimension that is only known at run time, which
cannot be stored.
"""

from typing import Any

from trex.core.counted import counted
from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import RawEngine, RawLayer
from trex.ingest.spelling.shapes import read_shape
from trex.ingest.spelling.weights import CONSTANTS, is_cache_handle, is_constant_name


def applies(raw: RawEngine) -> bool:
    return any(_is_myelin(layer) for layer in raw.layers)


def _is_myelin(layer: RawLayer) -> bool:
    return layer.subtype[:1].islower()


def _is_static(dims: Any) -> bool:
    shape = read_shape(dims)
    return shape is None or None not in shape


def apply(raw: RawEngine) -> None:
    known = raw.tensor_names.get
    written = {known(name, name) for name in raw.names_written}
    written.update(binding.name for binding in raw.bindings or () if not binding.inferred)
    has_bindings = raw.lists_border
    stored = {
        name
        for name in raw.names_read
        if known(name, name) not in written
        and ((has_bindings and name) or is_constant_name(name))
        and not is_cache_handle(name)
    }
    count = 0
    for layer in raw.layers if stored else ():
        if not _is_myelin(layer) or CONSTANTS in layer.record:
            continue
        unwritten = []
        for position, record in enumerate(layer.inputs):
            name = record.get("Name") if type(record) is dict else None
            if type(name) is str and name in stored and _is_static(record.get("Dimensions")):
                unwritten.append(position)
        if unwritten:
            layer.unwritten = tuple(unwritten)
            count += len(unwritten)
    if count:
        raw.note(
            "unwritten-inputs-are-weights",
            f"{counted(count, 'input')} of Myelin layers counted as weights: no layer writes them and they are no "
            "bindings",
            severity="info",
        )


QUIRK = Quirk(QuirkStage.WIRING, applies, apply)
