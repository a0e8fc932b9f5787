"""Plan → ONNX model: every layer a node of the domain ``tensorrt``, to be looked at in Netron; it cannot be run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trex.core.data_type import DataType
from trex.core.errors import missing_extra
from trex.core.tensor import Tensor
from trex.core.whole_file import write_whole
from trex.export.escape import printable_xml
from trex.graph.build import build_graph
from trex.graph.plan_graph import BETWEEN_KINDS, LayerNode, MemoryNode, Node, PlanGraph
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.details import short_text

if TYPE_CHECKING:
    import onnx

DOMAIN = "tensorrt"
# Texts of records that are longer are cut: plugins store their data in them.
MAX_TEXT = 4_000
# Numbers of onnx.TensorProto.DataType, which releases of ONNX only add to: so a type has its number also where the
# package that is installed has not heard of it, and a viewer that has shows it.
_ONNX_TYPES = {
    DataType.FP32: 1,
    DataType.UINT8: 2,
    DataType.INT8: 3,
    DataType.UINT16: 4,
    DataType.INT16: 5,
    DataType.INT32: 6,
    DataType.INT64: 7,
    DataType.BOOL: 9,
    DataType.FP16: 10,
    DataType.FP64: 11,
    DataType.UINT32: 12,
    DataType.UINT64: 13,
    DataType.COMPLEX64: 14,
    DataType.COMPLEX128: 15,
    DataType.BF16: 16,
    DataType.FP8: 17,
    DataType.INT4: 22,
    DataType.FP4: 23,
    DataType.E8M0: 24,
}
_UNDEFINED = 0
# The version of the file format that brought a type; files of a newer format than a reader knows are refused.
_IR_VERSIONS = {DataType.FP8: 9, DataType.INT4: 10, DataType.FP4: 11, DataType.E8M0: 12}
_LEAST_IR_VERSION = 8
_TOLD_BY_THE_NODE = frozenset(("Name", "Inputs", "Outputs"))
_INT64 = range(-(1 << 63), 1 << 63)


class OnnxGraph:
    """The plan's graph as ``onnx_model``, its nodes as ``onnx_nodes``, in execution order.

    display_forking_regions: memory that several layers read as nodes too (type ``Region``). Raises TrexError where
    the package ``onnx`` is not installed.
    """

    def __init__(self, plan: EnginePlan, display_forking_regions: bool = False) -> None:
        graph = build_graph(plan, include_forking_regions=display_forking_regions)
        self.onnx_model = onnx_model(graph)
        self.onnx_nodes = list(self.onnx_model.graph.node)

    def save(self, path: str | Path) -> Path:
        """Writes the model, whole or not at all, and returns the path."""
        return write_whole(path, self.onnx_model.SerializeToString())


def onnx_model(graph: PlanGraph) -> onnx.ModelProto:
    """The graph as a model. A tensor name that is used again gets a number: ``x``, then ``x #2``."""
    library = _onnx()
    names = _ValueNames(graph)
    nodes = []
    for node in sorted(graph.nodes, key=lambda node: _order(graph, node)):
        if isinstance(node, LayerNode):
            nodes.append(_layer_node(node, names.inputs(node), names.outputs(node)))
        elif isinstance(node, MemoryNode) and node.kind in BETWEEN_KINDS:
            nodes.append(_memory_node(node, names))
    inputs = [
        _value_info(names.of_memory[node.id], node.tensor)
        for node in graph.memory_nodes
        if node.kind in ("input", "from")
    ]
    taken = {names.written(node): node.tensor for node in graph.memory_nodes if node.kind in ("output", "to")}
    outputs = [_value_info(name, tensor) for name, tensor in taken.items()]
    ends = {value.name for value in (*inputs, *outputs)}
    values = [_value_info(name, tensor) for name, tensor in names.tensors.items() if name not in ends]
    onnx_graph = library.helper.make_graph(nodes, _text(graph.name) or "engine", inputs, outputs, value_info=values)
    onnx_graph.doc_string = "A TensorRT engine, made to be looked at; it cannot be run."
    opset = library.helper.make_opsetid(DOMAIN, 1)
    model: onnx.ModelProto = library.helper.make_model(onnx_graph, opset_imports=[opset], producer_name="trex")
    types = {tensor.data_type for tensor in names.tensors.values()}
    model.ir_version = max(_IR_VERSIONS.get(data_type, _LEAST_IR_VERSION) for data_type in (*types, DataType.UNKNOWN))
    return model


def make_onnx_tensor(tensor: Tensor) -> onnx.ValueInfoProto:
    """Name, type and shape of a tensor; unknown dimensions have names (``dim_1``), unknown types are UNDEFINED."""
    return _value_info(_text(tensor.name), tensor)


def onnx_type(data_type: DataType) -> int:
    """The number of the type in ONNX's enumeration, 0 (UNDEFINED) for the unknown."""
    return _ONNX_TYPES.get(data_type, _UNDEFINED)


class _ValueNames:
    """A name for every value in the graph: nothing may be written twice in ONNX, in TensorRT anything may."""

    def __init__(self, graph: PlanGraph) -> None:
        self.graph = graph
        self.taken: set[str] = set()
        self.tensors: dict[str, Tensor] = {}
        self.of_memory: dict[int, str] = {}
        self._counts: dict[str, int] = {}
        self._written: dict[tuple[int, str], str] = {}
        for node in graph.memory_nodes:
            if node.kind in ("input", "constant", "dangling", "from", "merge", "region"):
                suffix = f" ({node.kind})" if node.kind in ("merge", "region") else ""
                self.of_memory[node.id] = self._new(_text(node.name) + suffix, node.tensor)
        outputs = {
            (edge.source, edge.tensor.name)
            for node in graph.memory_nodes
            if node.kind == "output"
            for edge in graph.edges_into[node.id]
        }
        # The engine's outputs keep their names whatever else carries them.
        written = {(node.id, tensor.name): tensor for node in graph.layer_nodes for tensor in node.layer.outputs}
        for key in sorted(written, key=lambda key: key not in outputs):
            if key[1] or key in outputs:
                self._written[key] = self._new(_text(key[1]), written[key])

    def _new(self, name: str, tensor: Tensor | None) -> str:
        unique, number = name, self._counts.get(name, 1)
        while unique in self.taken or not unique:
            number += 1
            unique = f"{name} #{number}"
        self._counts[name] = number
        self.taken.add(unique)
        if tensor is not None:
            self.tensors[unique] = tensor
        return unique

    def inputs(self, node: LayerNode) -> Iterator[str]:
        """What a layer reads, in the order of its inputs; "" for what is not drawn, such as constants."""
        sources: dict[str, list[int]] = {}
        for edge in self.graph.edges_into[node.id]:
            sources.setdefault(edge.tensor.name, []).append(edge.source)
        for tensor in node.layer.inputs:
            writers = sources.get(tensor.name, ())
            for source in writers:
                yield self._value(source, tensor.name)
            if not writers:
                yield ""

    def outputs(self, node: LayerNode) -> Iterator[str]:
        """What a layer writes, in the order of its outputs; "" for a tensor that it has already written."""
        written = set()
        for tensor in node.layer.outputs:
            yield "" if tensor.name in written else self._written.get((node.id, tensor.name), "")
            written.add(tensor.name)

    def written(self, node: MemoryNode) -> str:
        """The name of the value that a node of memory takes, its own where nothing writes it."""
        for edge in self.graph.edges_into[node.id]:
            return self._value(edge.source, edge.tensor.name)
        return _text(node.name)

    def read(self, node: MemoryNode) -> list[str]:
        """The values that meet in a node of memory."""
        return [self._value(edge.source, edge.tensor.name) for edge in self.graph.edges_into[node.id]]

    def _value(self, source: int, name: str) -> str:
        known = self.of_memory.get(source)
        return known if known is not None else self._written.get((source, name), _text(name))


# -------------------------------------------------------------------------------------------------------------- pieces


def _order(graph: PlanGraph, node: Node) -> tuple[int, int]:
    """Where a node stands: layers in execution order, memory behind the last layer that writes it."""
    if isinstance(node, LayerNode):
        return (node.id, 0)
    return (max((edge.source for edge in graph.edges_into[node.id]), default=node.id), 1)


def _layer_node(drawn: LayerNode, inputs: Iterable[str], outputs: Iterable[str]) -> onnx.NodeProto:
    """A layer; of a folded block or a closed group with ``repeats`` and ``layers``, as in other files."""
    library, layer = _onnx(), drawn.layer
    node: onnx.NodeProto = library.NodeProto(
        op_type=_text(layer.type) or "Unknown",
        domain=DOMAIN,
        name=_text(layer.name),
        input=list(inputs),
        output=list(outputs),
    )
    facts = {**layer.raw, "precision": layer.precision}
    if drawn.several is not None:
        facts |= {"repeats": drawn.several.count, "layers": [layer.name for layer in drawn.layers]}
    for key, value in facts.items():
        if key not in _TOLD_BY_THE_NODE and str(key):
            node.attribute.append(_attribute(_text(str(key)), value))
    return node


def _memory_node(node: MemoryNode, names: _ValueNames) -> onnx.NodeProto:
    result: onnx.NodeProto = _onnx().NodeProto(
        op_type="Region" if node.kind == "region" else "Merge",
        domain=DOMAIN,
        name=f"{_text(node.name)} ({node.kind} {node.generation})",
        input=names.read(node),
        output=[names.of_memory[node.id]],
    )
    return result


def _attribute(name: str, value: Any) -> onnx.AttributeProto:
    """An attribute that holds the value as it is where ONNX can, else as text."""
    make: Callable[..., onnx.AttributeProto] = _onnx().helper.make_attribute
    if isinstance(value, bool):
        return make(name, int(value))
    if (isinstance(value, int) and value in _INT64) or isinstance(value, float):
        return make(name, value)
    if isinstance(value, list) and value:
        if all(isinstance(item, int) and not isinstance(item, bool) and item in _INT64 for item in value):
            return make(name, value)
        if all(isinstance(item, float) for item in value):
            return make(name, value)
        if all(isinstance(item, str) for item in value):
            return make(name, [_text(item) for item in value])
    return make(name, _text(value if isinstance(value, str) else _record_text(value)))


def _record_text(value: Any) -> str:
    """A stored value as type and count, anything else as JSON."""
    if isinstance(value, dict) and "Type" in value and "Count" in value:
        return short_text(value)
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return short_text(value)


def _value_info(name: str, tensor: Tensor | None) -> onnx.ValueInfoProto:
    library = _onnx()
    if tensor is None:
        unknown: onnx.ValueInfoProto = library.helper.make_tensor_value_info(name, 0, None)
        return unknown
    shape = None
    if tensor.shape is not None:
        # ONNX has no dimensions below zero or beyond 64 bits.
        shape = [dim if dim is not None and 0 <= dim < 1 << 63 else f"dim_{i}" for i, dim in enumerate(tensor.shape)]
    info: onnx.ValueInfoProto = library.helper.make_tensor_value_info(name, onnx_type(tensor.data_type), shape)
    info.doc_string = str(tensor.format) if tensor.format.is_known else ""
    return info


def _text(text: str) -> str:
    """Text that protobuf can hold, at most 4 000 characters."""
    if not text.isprintable():
        text = printable_xml(text)
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}… {len(text) - MAX_TEXT} characters more"


def _onnx() -> Any:
    try:
        import onnx
        import onnx.helper
    except ImportError as error:
        raise missing_extra("onnx", "onnx", "an ONNX model for Netron") from error
    return onnx
