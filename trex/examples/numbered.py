"""Numbered names: nodes and values called as PyTorch's TorchScript exporter called them before release 1.13."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx


def number_names(
    model: onnx.ModelProto,
    first: int,
    *,
    has_folded_norms: bool = False,
    has_prefixes: bool = True,
    names: Mapping[str, str] | None = None,
    skipped: Mapping[str, int] | None = None,
) -> onnx.ModelProto:
    """The same model, renamed in place: nodes ``Conv_0`` by their place, values by a counter that starts at ``first``.

    The counter runs over the traced program, so it also counts values that the export no longer holds. Those of a
    quantizer's folded zero point are known here; has_folded_norms: so are those of the batch normalizations that were
    folded into every convolution, whose values are called anew after the last number. skipped: node → such values
    before its output. has_prefixes: names tell who reads the value (``onnx::Conv_129``), as since 1.12. names: value →
    name that the tracer took from a variable of the program (``input.8``); it keeps its number. Names of the graph's
    inputs and of the state dictionary stay.
    """
    graph = model.graph
    readers = {name: node.op_type for node in reversed(graph.node) for name in node.input}
    stored = {tensor.name for tensor in graph.initializer}
    counter, folded = first, []
    numbers: dict[str, int] = {}
    for node in graph.node:
        counter += (skipped or {}).get(node.name, 0)
        if node.op_type == "QuantizeLinear" and node.input[1] not in stored and node.input[2] in stored:
            counter += 2  # the zero point and its cast to 8 bits
        if has_folded_norms and node.op_type == "Conv":
            counter += 2
            folded += [*node.output, *node.input[1:]]
            continue
        for output in node.output:
            numbers[output] = counter
            counter += 1
    numbers.update((name, counter + place) for place, name in enumerate(folded))
    called = {
        name: f"onnx::{readers[name]}_{number}" if has_prefixes and name in readers else str(number)
        for name, number in numbers.items()
    }
    called.update({name: new for name, new in (names or {}).items() if name in called})
    _rename(graph, called)
    return model


def _rename(graph: onnx.GraphProto, called: Mapping[str, str]) -> None:
    for place, node in enumerate(graph.node):
        node.name = f"{node.op_type}_{place}"
        node.input[:] = [called.get(name, name) for name in node.input]
        node.output[:] = [called.get(name, name) for name in node.output]
    for described in (*graph.output, *graph.initializer, *graph.value_info):
        described.name = called.get(described.name, described.name)
