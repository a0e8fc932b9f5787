"""Rows of a build log without ParameterType.

What it finds: layers of a build log whose LayerType determines their type: ``CaskConvolution`` or
``CublasConvolution``, ``TiledPooling``, ``CudaSoftMax``, ``PointWiseV2``.
Why it matters: the inspector's JSON states the type (``Convolution``) in ParameterType, and layers are selected by it.
Rows of a log have no such key.
What it does: sets the type; the subtype stays verbatim.
"""

from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawEngine

# Suffixes after the name of the library or the method.
_ENDINGS = ("Convolution", "Pooling", "SoftMax", "ConvActPool")
_TYPE_OF = {"PointWiseV2": "PointWise", "Padding": "Slice"}


def applies(raw: RawEngine) -> bool:
    return raw.verbosity == "log" and any(_type_of(subtype) for subtype in raw.subtypes)


def apply(raw: RawEngine) -> None:
    types = {subtype: _type_of(subtype) for subtype in raw.subtypes}
    for layer in raw.layers:
        # A type from the file or from another quirk stays.
        if layer.type == layer.subtype and types[layer.subtype]:
            layer.type = types[layer.subtype]


def _type_of(subtype: str) -> str:
    """The type of a kernel; empty if uncertain."""
    return _TYPE_OF.get(subtype) or next((ending for ending in _ENDINGS if subtype.endswith(ending)), "")


QUIRK = Quirk(Stage.MEANING, applies, apply)
