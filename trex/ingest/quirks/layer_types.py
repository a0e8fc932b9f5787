"""Layers whose LayerType says more than their ParameterType.

What it finds: layers such as ``CaskDeconvolutionV2`` or ``CudnnDeconvolution`` whose ParameterType is missing or is
``Convolution``; layers of a build log, whose rows have no ParameterType: ``CublasConvolution``, ``TiledPooling``,
``CudaSoftMax``, ``PointWiseV2``.
Why it matters: layers are selected by their type, and the MACs of a transposed convolution are counted over its input,
not its output.
What it does: sets the type (``Deconvolution``, ``Pooling``); the subtype stays verbatim.
"""

from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import RawEngine

_DECONVOLUTION = "Deconvolution"
# Suffixes after the name of the library or the method.
_ENDINGS = ("Convolution", "Pooling", "SoftMax", "ConvActPool")
_TYPE_OF = {"PointWiseV2": "PointWise", "Padding": "Slice"}


def applies(raw: RawEngine) -> bool:
    return raw.verbosity == "log" or any(_DECONVOLUTION in subtype for subtype in raw.subtypes)


def apply(raw: RawEngine) -> None:
    for layer in raw.layers:
        if _DECONVOLUTION in layer.subtype:
            layer.type = _DECONVOLUTION
        elif raw.verbosity == "log" and layer.type == layer.subtype:  # a type from the file or another quirk stays
            layer.type = _type_of(layer.subtype)


def _type_of(subtype: str) -> str:
    """The type of a kernel; the subtype itself if uncertain."""
    return _TYPE_OF.get(subtype) or next((ending for ending in _ENDINGS if subtype.endswith(ending)), subtype)


QUIRK = Quirk(QuirkStage.MEANING, applies, apply)
