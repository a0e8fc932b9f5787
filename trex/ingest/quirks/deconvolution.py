"""Deconvolutions with another type.

What it finds: layers such as ``CaskDeconvolutionV2`` or ``CudnnDeconvolution`` whose ParameterType is missing or is
``Convolution``.
Why it matters: the MACs of a transposed convolution are counted over its input, not its output.
What it does: sets their type to ``Deconvolution``.
"""

from trex.ingest.quirk import Quirk, Stage
from trex.ingest.raw_engine import RawEngine


def applies(raw: RawEngine) -> bool:
    return any("Deconvolution" in subtype for subtype in raw.subtypes)


def apply(raw: RawEngine) -> None:
    for layer in raw.layers:
        if "Deconvolution" in layer.subtype:
            layer.type = "Deconvolution"


QUIRK = Quirk(Stage.MEANING, applies, apply)
