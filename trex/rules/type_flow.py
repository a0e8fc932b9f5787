"""TypeFlow: which data types each layer reads and writes, where types are converted, and residual adds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.plan.listed_operands import GEMM, MYELIN_CONVOLUTIONS, product_type
from trex.rules.neighbors import Neighbors
from trex.rules.operators import ADDS, COPIES, operations_of, operator_word

QUANTIZED = frozenset({DataType.INT8, DataType.FP8, DataType.INT4, DataType.FP4})
"""Types of quantized data; UINT8 is the type of images."""
FLOATS = frozenset({DataType.FP32, DataType.FP16, DataType.BF16, DataType.FP64})
HALVES = frozenset({DataType.FP16, DataType.BF16})
_DATA = QUANTIZED | FLOATS
_MAX_HOPS = 8
_MYELIN_PRODUCTS = MYELIN_CONVOLUTIONS | {GEMM}


class TypeFlow:
    """Data types along the layers. Positions are those of ``AnalyzedEngine``.

    inputs, outputs: names of the engine's bindings, empty if the file does not contain them.
    """

    def __init__(
        self, layers: Sequence[Layer], neighbors: Neighbors, inputs: frozenset[str], outputs: frozenset[str]
    ) -> None:
        self._layers = layers
        self._neighbors = neighbors
        self._inputs, self._outputs = inputs, outputs
        self.reads = [_main_type(layer.inputs) for layer in layers]
        """Per position: the type of the first input that carries data, UNKNOWN without one."""
        self.writes = [_main_type(layer.outputs) for layer in layers]
        """Per position: the type of the first output that carries data."""

    def is_copy(self, position: int) -> bool:
        return self._layers[position].type in COPIES

    @cached_property
    def copies(self) -> Sequence[int]:
        """Layers that only change type or layout."""
        return [position for position in range(len(self._layers)) if self.is_copy(position)]

    def is_conversion(self, position: int) -> bool:
        """A copy whose output has another type than its input."""
        reads, writes = self.reads[position], self.writes[position]
        return reads.is_known and writes.is_known and reads is not writes and self.is_copy(position)

    def quantizes(self, position: int) -> bool:
        """A separate kernel that turns floats into a quantized type."""
        return self.reads[position] in FLOATS and self.writes[position] in QUANTIZED and self.is_copy(position)

    def dequantizes(self, position: int) -> bool:
        return self.reads[position] in QUANTIZED and self.writes[position] in FLOATS and self.is_copy(position)

    def is_quantized(self, position: int) -> bool:
        """Works on quantized data and is not a copy."""
        return self.reads[position] in QUANTIZED and not self.is_copy(position)

    def writes_sums(self, position: int) -> bool:
        """A product of quantized data that writes floats although it is Myelin's: TensorRT for RTX 1.7 builds all INT8
        convolutions and GEMMs so, wherever the model quantizes; a generated kernel quantizes the result.
        """
        return (
            self.reads[position] in QUANTIZED
            and self.writes[position] in FLOATS
            and product_type(self._layers[position]) in _MYELIN_PRODUCTS
        )

    def has_epilogue(self, position: int) -> bool:
        """Such a product whose result only generated kernels read: they rescale, activate or quantize it."""
        readers = self.readers(position)
        return (
            self.writes_sums(position)
            and bool(readers)
            and all(self._layers[reader].type == "kgen" for reader in readers)
        )

    @cached_property
    def quantized_positions(self) -> tuple[int, ...]:
        return tuple(filter(self.is_quantized, range(len(self.reads))))

    def computes_in(self, types: frozenset[DataType]) -> bool:
        """Whether any layer but copies reads or writes one of these types: bindings alone do not count."""
        both = enumerate(zip(self.reads, self.writes))
        return any(not types.isdisjoint(pair) and not self.is_copy(position) for position, pair in both)

    @property
    def has_halves(self) -> bool:
        """Whether any layer but copies reads or writes FP16 or BF16."""
        return self.computes_in(HALVES)

    def reads_binding(self, position: int) -> bool:
        """Reads an input of the engine; where the file names none, what no layer writes."""
        inputs = self._layers[position].inputs
        if self._inputs:
            return any(tensor.name in self._inputs for tensor in inputs)
        return bool(inputs) and not self._neighbors.before[position]

    def writes_binding(self, position: int) -> bool:
        """Writes an output of the engine; where the file names none, what no layer reads."""
        outputs = self._layers[position].outputs
        if self._outputs:
            return any(tensor.name in self._outputs for tensor in outputs)
        return bool(outputs) and not self._neighbors.after[position]

    def is_at_binding(self, position: int) -> bool:
        return self.reads_binding(position) or self.writes_binding(position)

    def readers(self, position: int) -> tuple[int, ...]:
        """Layers that read what this one writes, through copies that keep the type."""
        return self._through_copies(position, self._neighbors.after)

    def writers(self, position: int) -> tuple[int, ...]:
        """Layers that write what this one reads, through copies that keep the type."""
        return self._through_copies(position, self._neighbors.before)

    def _through_copies(self, start: int, following: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        ends: dict[int, None] = {}
        level: Iterable[int] = following[start]
        for _ in range(_MAX_HOPS):
            copies = []
            for position in level:
                if self.is_copy(position) and self.reads[position] is self.writes[position]:
                    copies.append(position)
                else:
                    ends[position] = None
            if not copies:
                break
            level = [neighbor for position in copies for neighbor in following[position]]
        return tuple(ends)

    def adds(self, position: int) -> tuple[str, ...]:
        """Names of the residual adds in a layer; adds of biases do not count."""
        if self.residual(position) is None:
            return ()
        return tuple(name for name in operations_of(self._layers[position]) if operator_word(name) in ADDS)

    def residual(self, position: int) -> Tensor | None:
        """What a layer adds to its result: a second or later input of its output's shape. None without.

        Of a generated kernel that reads the sums of a quantized product, it is another input of this shape.
        """
        layer = self._layers[position]
        if len(layer.inputs) < 2 or not layer.outputs:
            return None
        shape = layer.outputs[0].shape
        added = [
            tensor
            for tensor in layer.inputs
            if tensor.data_type in _DATA and tensor.shape is not None and tensor.shape == shape
        ]
        sums = {
            tensor.name
            for writer in self._neighbors.before[position]
            if self.writes_sums(writer)
            for tensor in self._layers[writer].outputs
        }
        if layer.type == "kgen" and not sums.isdisjoint(tensor.name for tensor in added):
            return next((tensor for tensor in added if tensor.name not in sums), None)
        return next((tensor for tensor in added if tensor is not layer.inputs[0]), None)

    def writer_of(self, position: int, tensor: str) -> int | None:
        """The layer that writes this input of a layer, None if unknown."""
        for writer in self._neighbors.before[position]:
            if any(output.name == tensor for output in self._layers[writer].outputs):
                return writer
        return None


def saved_bytes(tensors: Iterable[Tensor]) -> float:
    """Bytes that are gone if these tensors have 8 bits: Σ bytes · (1 − 8 / bits); tensors of unknown size have none."""
    saved = 0.0
    for tensor in tensors:
        own = tensor.data_type.bits
        if tensor.size_bytes is not None and own is not None and own > 8:
            saved += tensor.size_bytes * (1 - 8 / own)
    return saved


def _main_type(tensors: Sequence[Tensor]) -> DataType:
    for tensor in tensors:
        if tensor.data_type in _DATA:
            return tensor.data_type
    return DataType.UNKNOWN
