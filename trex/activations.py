"""Activation: a tensor of a layer, under TREx's names.

Differs from NVIDIA's TREx: types and formats are read by grammar, so none is silently 0 bytes; sizes include vector
padding; an unknown dimension is None and the size with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trex import _reexported
from trex.classic.spelling import classic_format, classic_text
from trex.classic.views_of_facts import ViewOfFact, fact_of
from trex.core.layer import Layer as _Layer
from trex.core.shape import shape_text
from trex.core.tensor import Tensor
from trex.ingest.spelling.tensor_formats import parse_format

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Activation", "create_activations"]


class Activation(metaclass=ViewOfFact):
    """One input or output, from its raw record ``{"Name", "Location", "Dimensions", "Format/Datatype"}``.

    name. shape: list of dimensions, None for an unknown one. format: ``FP16 NHWC8``, ``Int8 NC/32HW32``.
    precision: ``FP16``, ``INT8``. data_size: bytes per element. size_bytes: stored bytes, padding included; None when
    unknown. fact (or tensor): the typed tensor all this is read from; its other attributes are the activation's, too.
    Typed tensors (of ``plan.working_layers``) count as instances; their shape is a tuple and their format typed.
    """

    FACT = Tensor

    def __init__(self, raw_dict: dict[str, Any]) -> None:
        from trex.plan.frames import tensors_of  # imports pandas, which views of facts do not need

        inputs, _ = tensors_of([raw_dict], [])
        self._read(inputs[0])

    @classmethod
    def of(cls, tensor: Tensor) -> Activation:
        """The activation of a typed tensor."""
        activation = cls.__new__(cls)
        activation._read(fact_of(tensor))
        return activation

    def _read(self, tensor: Tensor) -> None:
        self.fact = self.tensor = tensor
        self.raw_dict = tensor.raw
        self.name = tensor.name
        self.shape = list(tensor.shape or ())
        self.format = classic_format(tensor)
        self.precision = tensor.precision
        self.data_size = tensor.data_size
        self.size_bytes = tensor.size_bytes

    def tooltip(self) -> str:
        """Shape, format and size, one per line."""
        return self.tensor.tooltip()

    def __getattr__(self, name: str) -> Any:
        if name == "fact" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.fact, name)

    def __repr__(self) -> str:
        return f"{self.name}: {shape_text(self.tensor.shape)} {self.format}"


class _FormatNames(dict[str, str]):
    """What TensorRT writes of a tensor → its short name (``FP16 NHWC8``). It lists the usual sentences and reads any
    other by the grammar that reads files. A sentence added here changes how no file is read."""

    def __missing__(self, sentence: str) -> str:
        data_type, layout = parse_format(sentence)
        if not data_type.is_known:
            raise KeyError(sentence)
        return classic_text(f"{data_type.label} {layout.label}" if layout.is_known else data_type.label)

    def __contains__(self, sentence: object) -> bool:
        return super().__contains__(sentence) or parse_format(sentence)[0].is_known

    def get(self, sentence: str, default: Any = None) -> Any:
        try:
            return self[sentence]
        except KeyError:
            return default


_LAYOUTS = {
    "Row major linear {} format": "FP32 FP16 BFloat16 Int8 Int32 Int64 UInt8 FP8 BOOL",
    "Two wide channel vectorized row major {} format": "FP16 BFloat16",
    "Four wide channel vectorized row major {} format": "Int8 FP32",
    "Sixteen wide channel vectorized row major {} format": "FP16",
    "Thirty-two wide channel vectorized row major {} format": "Int8 FP32 FP16",
    "Channel major {} format": "FP32",
    "Channel major {} format where channel % 4 == 0": "FP32 FP16 INT8 BFloat16",
    "Channel major {} format where channel % 8 == 0": "FP16 BFloat16",
    "Channel major {} format where channel % 16 == 0": "INT8 FP8",
}
_regionFormatDict = _FormatNames()
for _layout, _types in _LAYOUTS.items():
    for _sentence in map(_layout.format, _types.split()):
        _regionFormatDict[_sentence] = _FormatNames()[_sentence]


def create_activations(layer: pd.Series | Any) -> tuple[list[Activation], list[Activation]]:
    """(inputs, outputs) of a row of ``plan.df`` or of a layer."""
    fact = fact_of(layer)
    if isinstance(fact, _Layer):
        return list(map(Activation.of, fact.inputs)), list(map(Activation.of, fact.outputs))
    from trex.plan.frames import tensors_of

    inputs, outputs = tensors_of(layer.get("Inputs"), layer.get("Outputs"))
    return [Activation.of(tensor) for tensor in inputs], [Activation.of(tensor) for tensor in outputs]


__getattr__ = _reexported(__name__)
