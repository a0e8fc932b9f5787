"""Rows of a build log, which say which kernel runs a layer, but not what it does.

What it finds: layers of a build log whose LayerType tells their type for certain: ``CaskConvolution`` or
``CublasConvolution``, ``TiledPooling``, ``CudaSoftMax``, ``PointWiseV2``.
Why it matters: the inspector's JSON calls the same layers ``Convolution`` in ParameterType, which no row has, and they
are looked for by that.
What it does: gives them that type; the subtype stays as it was written.
"""

from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawEngine

# What follows the name of the library or the way in which the kernel works.
_ENDINGS = ("Convolution", "Pooling", "SoftMax", "ConvActPool")
_TYPE_OF = {"PointWiseV2": "PointWise", "Padding": "Slice"}


def applies(raw: RawEngine) -> bool:
    return raw.verbosity == "log" and any(_type_of(subtype) for subtype in raw.subtypes)


def apply(raw: RawEngine) -> None:
    types = {subtype: _type_of(subtype) for subtype in raw.subtypes}
    for layer in raw.layers:
        # A type that was told, or that another quirk knows better, stays.
        if layer.type == layer.subtype and (found := types[layer.subtype]):
            layer.type = found


def _type_of(subtype: str) -> str:
    """The type of which this is a kernel; empty where it is not certain."""
    return _TYPE_OF.get(subtype) or next((ending for ending in _ENDINGS if subtype.endswith(ending)), "")


QUIRK = Quirk(Stage.MEANING, applies, apply)
