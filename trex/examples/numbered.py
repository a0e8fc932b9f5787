"""Numbered names: nodes and values named as in exports of PyTorch before 1.13."""

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
    """The same model, renamed in place: nodes ``Conv_0`` by their index, values by a counter that starts at ``first``.

    The counter follows the traced program, so it also counts values that the export no longer contains: those of a
    quantizer's folded zero point and, if ``has_folded_norms``, of the batch normalizations that were folded into every
    convolution, whose values get new numbers at the end. skipped: node → number of other such values before its output.
    has_prefixes: names include the reader's type (``onnx::Conv_129``), as since 1.12. names: value → name that the
    tracer took from a variable of the program (``input.8``), which still takes a number. Names of the graph's inputs
    and of the state dictionary stay.
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
    numbers.update((name, counter + index) for index, name in enumerate(folded))
    called = {
        name: f"onnx::{readers[name]}_{number}" if has_prefixes and name in readers else str(number)
        for name, number in numbers.items()
    }
    called.update({name: new for name, new in (names or {}).items() if name in called})
    _rename(graph, called)
    return model


def _rename(graph: onnx.GraphProto, called: Mapping[str, str]) -> None:
    for index, node in enumerate(graph.node):
        node.name = f"{node.op_type}_{index}"
        node.input[:] = [called.get(name, name) for name in node.input]
        node.output[:] = [called.get(name, name) for name in node.output]
    for described in (*graph.output, *graph.initializer, *graph.value_info):
        described.name = called.get(described.name, described.name)
