"""Deconvolutions that call themselves something else.

What it finds: layers such as ``CaskDeconvolutionV2`` or ``CudnnDeconvolution`` whose ParameterType is missing or says
``Convolution``.
Why it matters: the arithmetic of a transposed convolution is counted over its input, not its output.
What it does: gives them the type ``Deconvolution``.
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
