"""Layers whose LayerType says more than their ParameterType.

What it finds: layers such as ``CaskDeconvolutionV2`` or ``CudnnDeconvolution`` whose ParameterType is missing or is
``Convolution``; layers of a build log, whose rows have no ParameterType: ``CublasConvolution``, ``TiledPooling``,
``CudaSoftMax``, ``CaskSoftMaxV2``, ``PointWiseV2``.
Why it matters: layers are selected by their type, and the MACs of a transposed convolution are counted over its input,
not its output.
What it does: sets the type (``Deconvolution``, ``Pooling``); the subtype stays verbatim.
"""

import re

from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import RawEngine

_DECONVOLUTION = "Deconvolution"
# The operation after the name of the library or the method, before the version of the kernel.
_ENDING = re.compile(
    r"[A-Za-z]*?(Convolution|ConvActPool|Pooling|SoftMax|MatrixMultiply|FullyConnected|Normalization)(?:V\d{1,2})?"
)
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
    ending = _ENDING.fullmatch(subtype)
    return _TYPE_OF.get(subtype) or (ending[1] if ending else subtype)


QUIRK = Quirk(QuirkStage.MEANING, applies, apply)
