"""TypeFlow: which data types each layer reads and writes, where types are converted, and residual adds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
        self._written: dict[int, frozenset[str]] = {}
        self._read: dict[int, frozenset[str]] = {}
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
        return position in self._with_epilogue

    @cached_property
    def _with_epilogue(self) -> frozenset[int]:
        readers = {position: self.readers(position) for position in filter(self.writes_sums, range(len(self.reads)))}
        return frozenset(
            position
            for position, own in readers.items()
            if own and all(self._layers[reader].type == "kgen" for reader in own)
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
        """A copy has one writer: what reads several layers is an end, so that no path is followed twice."""
        before = self._neighbors.before
        ends: dict[int, None] = {}
        level: Iterable[int] = following[start]
        for _ in range(_MAX_HOPS):
            copies = []
            for position in level:
                is_same = self.is_copy(position) and self.reads[position] is self.writes[position]
                if is_same and len(before[position]) < 2:
                    copies.append(position)
                else:
                    ends[position] = None
            if not copies:
                break
            level = [neighbor for position in copies for neighbor in following[position]]
        return tuple(ends)

    def adds(self, position: int) -> tuple[str, ...]:
        """Names of the residual adds in a layer; adds of biases do not count."""
        return self._adds[position]

    @cached_property
    def _adds(self) -> Sequence[tuple[str, ...]]:
        return [
            tuple([name for name in operations_of(layer) if operator_word(name) in ADDS])
            if residual is not None
            else ()
            for layer, residual in zip(self._layers, self._residuals)
        ]

    def residual(self, position: int) -> Tensor | None:
        """What a layer adds to its result: a second or later input of its output's shape. None without.

        Of a generated kernel that reads the sums of a quantized product, it is another input of this shape.
        """
        return self._residuals[position]

    @cached_property
    def _residuals(self) -> Sequence[Tensor | None]:
        return [self._residual(position) for position in range(len(self._layers))]

    def _residual(self, position: int) -> Tensor | None:
        layer = self._layers[position]
        if len(layer.inputs) < 2 or not layer.outputs:
            return None
        shape = layer.outputs[0].shape
        added = [
            tensor
            for tensor in layer.inputs
            if tensor.data_type in _DATA and tensor.shape is not None and tensor.shape == shape
        ]
        if layer.type == "kgen":
            sums = self.written_by({tensor.name for tensor in added}, position, self.writes_sums)
            if sums:
                return next((tensor for tensor in added if tensor.name not in sums), None)
        return next((tensor for tensor in added if tensor is not layer.inputs[0]), None)

    def writer_of(self, position: int, tensor: str) -> int | None:
        """The layer that writes this input of a layer, None if unknown."""
        return next(
            (writer for writer in self._neighbors.before[position] if tensor in self.written_names(writer)), None
        )

    def written_by(self, names: set[str], position: int, is_wanted: Callable[[int], bool]) -> set[str]:
        """Those of these tensors that a wanted layer before this one writes."""
        writers = filter(is_wanted, self._neighbors.before[position])
        return {name for writer in writers for name in names & self.written_names(writer)}

    def written_names(self, writer: int) -> frozenset[str]:
        """Of the tensors that a layer writes."""
        names = self._written.get(writer)
        if names is None:
            names = self._written[writer] = frozenset(tensor.name for tensor in self._layers[writer].outputs)
        return names

    def read_names(self, reader: int) -> frozenset[str]:
        """Of the tensors that a layer reads."""
        names = self._read.get(reader)
        if names is None:
            names = self._read[reader] = frozenset(tensor.name for tensor in self._layers[reader].inputs)
        return names


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
