"""Flow: in which types data flow through an engine: what each layer reads and writes, conversions, residual adds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.core.tensor import Tensor

if TYPE_CHECKING:
    from trex.rules.analyzed_engine import Inspected

QUANTIZED = frozenset({DataType.INT8, DataType.FP8, DataType.INT4, DataType.FP4})
"""Types of quantized data; UINT8 is what images come in."""
FLOATS = frozenset({DataType.FP32, DataType.FP16, DataType.BF16, DataType.FP64})
HALVES = frozenset({DataType.FP16, DataType.BF16})
_DATA = QUANTIZED | FLOATS

COPIES = frozenset({"Reformat", "MyelinReformat", "Cast", "reformat"})
"""Types of layers that only change the type or the layout of one tensor."""
PRODUCTS = frozenset(
    {
        *("Convolution", "Deconvolution", "ConvActPool", "CaskConvolution", "conv", "deconv"),
        *("MatrixMultiply", "FullyConnected", "gemm", "Gemm", "matmul"),
    }
)
CONVOLUTIONS = ("Convolution", "Deconvolution", "ConvActPool", "conv", "deconv")
POOLINGS = frozenset({"Pooling", "pool", "Pool"})

QUANTIZES = frozenset({"quantizelinear", "quantlinearnode", "quantize", "quantize_per_tensor", "fakequantize"})
DEQUANTIZES = frozenset({"dequantizelinear", "dequantlinearnode", "dequantize", "dequantize_per_tensor"})
_ADDS = frozenset({"add", "sum", "add_", "residual_add"})
_MOST_HOPS = 8
_NUMBER = re.compile(r"(?:[_.:]+\d+|\[\d+\])+$")
_TORCH = re.compile(r"-\[([^\[\]]*)\]$")


@lru_cache(maxsize=65536)
def operator_word(operation: str) -> str:
    """What an operation's name says that it does: ``/layer1/Add_1``, ``Add_36`` → ``add``."""
    found = _TORCH.search(operation)
    text = (found.group(1) if found else operation).rstrip("/").rpartition("/")[2]
    return _NUMBER.sub("", text).strip("_").lower()


def operations_of(layer: Layer) -> tuple[str, ...]:
    """Names of the ONNX operators in a layer: those of its name, then those of its metadata that the name lacks."""
    if not layer.origins:
        return layer.name_parts.operations
    return tuple(dict.fromkeys((*layer.name_parts.operations, *layer.origins)))


def is_quantization(operation: str) -> bool:
    if "uant" not in operation:  # most names, of which a large engine has hundreds of thousands
        return False
    word = operator_word(operation)
    return word in QUANTIZES or word in DEQUANTIZES


class Flow:
    """The types that flow. Places are those of ``Inspected``."""

    def __init__(self, seen: Inspected) -> None:
        self._seen = seen
        self.reads = [_main_type(layer.inputs) for layer in seen.layers]
        """Per place: the type of the first input that carries data, UNKNOWN without one."""
        self.writes = [_main_type(layer.outputs) for layer in seen.layers]
        """Per place: the type of the first output that carries data."""

    def is_copy(self, place: int) -> bool:
        return self._seen.layers[place].type in COPIES

    @cached_property
    def copies(self) -> Sequence[int]:
        """Places of the layers that only change type or layout."""
        return self._seen.of_type(*COPIES)

    def is_conversion(self, place: int) -> bool:
        """A copy whose output is of another type than its input."""
        reads, writes = self.reads[place], self.writes[place]
        return reads.is_known and writes.is_known and reads is not writes and self.is_copy(place)

    def quantizes(self, place: int) -> bool:
        """A separate kernel that turns floats into a quantized type."""
        return self.reads[place] in FLOATS and self.writes[place] in QUANTIZED and self.is_copy(place)

    def dequantizes(self, place: int) -> bool:
        return self.reads[place] in QUANTIZED and self.writes[place] in FLOATS and self.is_copy(place)

    def is_quantized(self, place: int) -> bool:
        """Works on quantized data, a mere copy not counted."""
        return self.reads[place] in QUANTIZED and not self.is_copy(place)

    def is_float(self, place: int) -> bool:
        """Works on floats, a mere copy not counted."""
        return self.reads[place] in FLOATS and not self.is_copy(place)

    @cached_property
    def quantized_places(self) -> tuple[int, ...]:
        return tuple(place for place, type_ in enumerate(self.reads) if type_ in QUANTIZED and not self.is_copy(place))

    def reads_binding(self, place: int) -> bool:
        """Reads an input of the engine; where the file names none, what no layer writes."""
        names = self._seen.inputs
        if names:
            return any(tensor.name in names for tensor in self._seen.layers[place].inputs)
        return bool(self._seen.layers[place].inputs) and not self._seen.before(place)

    def writes_binding(self, place: int) -> bool:
        """Writes an output of the engine; where the file names none, what no layer reads."""
        names = self._seen.outputs
        if names:
            return any(tensor.name in names for tensor in self._seen.layers[place].outputs)
        return bool(self._seen.layers[place].outputs) and not self._seen.after(place)

    def readers(self, place: int) -> tuple[int, ...]:
        """Who reads what this layer writes, seen through copies that keep the type."""
        return self._through(self._seen.after(place), self._seen.after)

    def writers(self, place: int) -> tuple[int, ...]:
        """Who writes what this layer reads, seen through copies that keep the type."""
        return self._through(self._seen.before(place), self._seen.before)

    def _through(self, start: Iterable[int], following: object) -> tuple[int, ...]:
        found: dict[int, None] = {}
        level = list(start)
        for _ in range(_MOST_HOPS):
            copies = []
            for place in level:
                if self.is_copy(place) and self.reads[place] is self.writes[place]:
                    copies.append(place)
                else:
                    found[place] = None
            if not copies:
                break
            level = [further for place in copies for further in following(place)]  # type: ignore[operator]
        return tuple(found)

    def adds(self, place: int) -> tuple[str, ...]:
        """Names of the adds in a layer that has a residual; of biases none."""
        layer = self._seen.layers[place]
        if self.residual(place) is None:
            return ()
        return tuple(each for each in operations_of(layer) if operator_word(each) in _ADDS)

    def residual(self, place: int) -> Tensor | None:
        """What a layer adds to its result: a further input of its output's shape. None without."""
        layer = self._seen.layers[place]
        if len(layer.inputs) < 2 or not layer.outputs:
            return None
        shape = layer.outputs[0].shape
        for tensor in layer.inputs[1:]:
            if tensor.data_type in _DATA and tensor.shape is not None and tensor.shape == shape:
                return tensor
        return None

    def writer_of(self, place: int, tensor: str) -> int | None:
        """Place of the layer that writes this input of it, None when none is known."""
        layers = self._seen.layers
        for before in self._seen.before(place):
            if any(each.name == tensor for each in layers[before].outputs):
                return before
        return None

    def saved_share(self, place: int, tensors: Iterable[Tensor]) -> float:
        """Part of the layer's bytes that would be gone if these tensors were of 8 bits; 0 where sizes are unknown.

        Formula: Σ bytes · (1 − 8 / bits) over the tensors / bytes of all inputs, outputs and weights.
        """
        moved = self._seen.layers[place].total_footprint_bytes
        saved = 0.0
        for tensor in tensors:
            bits = tensor.data_type.bits
            if tensor.size_bytes is None or bits is None or bits <= 8:
                continue
            saved += tensor.size_bytes * (1 - 8 / bits)
        return min(1.0, saved / moved) if moved else 0.0


def _main_type(tensors: Sequence[Tensor]) -> DataType:
    for tensor in tensors:
        if tensor.data_type in _DATA:
            return tensor.data_type
    return DataType.UNKNOWN
