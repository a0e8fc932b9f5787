"""Operator: one node of an ONNX graph; Value: a tensor between operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trex.core.data_type import DataType
from trex.core.frozen import frozen
from trex.core.shape import Shape, volume

Number = int | float | bool


@frozen
class Value:
    """A tensor of the graph, written once: by an operator, by the caller or in the file.

    shape: None for a dimension that is symbolic or unknown; None as a whole if the rank is unknown.
    is_stored: an initializer, whose data is in the model (or in a separate file). numbers: its data, row-major, if it
    is a constant of at most 1024 numbers (shapes, axes, scales), else None. location: the separate file with its data,
    "" if the model contains it.
    """

    name: str
    shape: Shape | None
    data_type: DataType
    is_stored: bool = False
    numbers: tuple[Number, ...] | None = None
    location: str = ""

    @property
    def count(self) -> int | None:
        """Number of elements, None if a dimension is unknown."""
        return volume(self.shape)

    @property
    def size_bytes(self) -> int | None:
        """Bytes of the packed elements, None if shape or type is unknown."""
        return self.data_type.size_bytes(volume(self.shape))


@dataclass(frozen=True, slots=True)
class Subgraph:
    """A graph inside an operator (a branch of If, the body of Loop or Scan), counted but not read.

    operator_count: including graphs further inside. captures: names of the values it reads from the graphs around it.
    """

    name: str
    operator_count: int
    captures: tuple[str, ...] = ()


AttributeValue = int | float | str | Value | Subgraph | tuple[int, ...] | tuple[float, ...] | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """One node, in the order of the file.

    name: as written; may repeat. A node without a name is called ``node_of_OUTPUT``, as in TensorRT's parser.
    domain: "" for ONNX's own operators. inputs, outputs: names of values, "" for an optional one that is left out.
    attributes: those that are written, without ONNX's defaults; a tensor is a Value, a graph a Subgraph.
    """

    index: int
    name: str
    type: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)

    @property
    def qualified_type(self) -> str:
        """``Conv``, or ``com.microsoft::Attention`` for an operator of another domain."""
        return f"{self.domain}::{self.type}" if self.domain else self.type

    @property
    def subgraphs(self) -> tuple[Subgraph, ...]:
        return tuple(value for value in self.attributes.values() if isinstance(value, Subgraph))

    @property
    def reads(self) -> tuple[str, ...]:
        """Names of the values it needs, each once: its inputs and what its subgraphs capture."""
        names = dict.fromkeys(filter(None, self.inputs))
        for graph in self.subgraphs:
            names.update(dict.fromkeys(graph.captures))
        return tuple(names)
