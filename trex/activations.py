"""Activation: a tensor of a layer, under TREx's names.

Differs from NVIDIA's TREx: types and formats are read by grammar, so none is silently 0 bytes; sizes include vector
padding; an unknown dimension is None and the size with it.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from trex.core.layer import Layer
from trex.core.shape import shape_text
from trex.core.tensor import Tensor
from trex.plan.frames import tensor_text, tensors_of

__all__ = ["Activation", "create_activations"]


class Activation:
    """One input or output, from its raw record ``{"Name", "Location", "Dimensions", "Format/Datatype"}``.

    name. shape: list of dimensions, None for an unknown one. format: ``FP16 NHWC8``. precision: ``FP16``.
    data_size: bytes per element. size_bytes: stored bytes, padding included; None when unknown.
    tensor: the typed fact all this is read from.
    """

    def __init__(self, raw_dict: dict[str, Any]) -> None:
        inputs, _ = tensors_of([raw_dict], [])
        self._read(inputs[0])

    @classmethod
    def of(cls, tensor: Tensor) -> Activation:
        """The activation of a typed tensor."""
        activation = cls.__new__(cls)
        activation._read(tensor)
        return activation

    def _read(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.raw_dict = tensor.raw
        self.name = tensor.name
        self.shape = list(tensor.shape or ())
        self.format = tensor_text(tensor)
        self.precision = tensor.precision
        self.data_size = tensor.data_size
        self.size_bytes = tensor.size_bytes

    def tooltip(self) -> str:
        """Shape, format and size, one per line."""
        return self.tensor.tooltip()

    def __repr__(self) -> str:
        return f"{self.name}: {shape_text(self.tensor.shape)} {self.format}"


def create_activations(layer: pd.Series | Layer) -> tuple[list[Activation], list[Activation]]:
    """(inputs, outputs) of a row of ``plan.df`` or of a layer."""
    if isinstance(layer, pd.Series):
        inputs, outputs = tensors_of(layer.get("Inputs"), layer.get("Outputs"))
    else:
        inputs, outputs = layer.inputs, layer.outputs
    return [Activation.of(tensor) for tensor in inputs], [Activation.of(tensor) for tensor in outputs]
