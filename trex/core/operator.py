"""Operator: one node of an ONNX graph, as a frozen fact; with Value, a tensor that flows between them."""

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

    shape: None for a dimension that is symbolic or not known; None as a whole when the rank is not known.
    is_stored: an initializer, whose data lie in the model (or in a file beside it). numbers: its data, row-major, when
    it is a constant of at most 1024 numbers — shapes, axes, scales —, else None. location: the file beside the model
    that holds its data, "" when the model does.
    """

    name: str
    shape: Shape | None
    data_type: DataType
    is_stored: bool = False
    numbers: tuple[Number, ...] | None = None
    location: str = ""

    @property
    def count(self) -> int | None:
        """Number of elements, None when a dimension is not known."""
        return volume(self.shape)

    @property
    def size_bytes(self) -> int | None:
        """Bytes of the packed elements, None when shape or type is not known."""
        return self.data_type.size_bytes(volume(self.shape))


@dataclass(frozen=True, slots=True)
class Subgraph:
    """A graph inside an operator (a branch of If, the body of Loop or Scan), not looked into.

    operator_count: with those of graphs further inside. captures: names of the values it reads from around it.
    """

    name: str
    operator_count: int
    captures: tuple[str, ...] = ()


AttributeValue = int | float | str | Value | Subgraph | tuple[int, ...] | tuple[float, ...] | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """One node, in the order of the file.

    name: as written; a node without a name is called ``node_of_OUTPUT``, as TensorRT's parser calls it. It may repeat.
    domain: "" for ONNX's own operators. inputs, outputs: names of values, "" where an optional one is left out.
    attributes: those that are written; defaults are ONNX's. A tensor is a Value, a graph a Subgraph.
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
        """Names of the values it needs, each once: its inputs and what its subgraphs read from around it."""
        names = dict.fromkeys(filter(None, self.inputs))
        for graph in self.subgraphs:
            names.update(dict.fromkeys(graph.captures))
        return tuple(names)
