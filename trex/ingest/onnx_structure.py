"""Parsed ONNX graph → its operators in an executable order; a graph that no runtime accepts is refused.

What is checked is what all later code relies on: each value is written once, nothing depends on itself, and ONNX's own
operators have the ends and attributes that their definition requires. The rules are those of ``onnx.checker``, which
itself refuses too much (missing external data, operators of newer releases) and whose C++ code can crash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.operator import Operator
from trex.ingest.onnx_facts import domain_of, operators_of, text_of

if TYPE_CHECKING:
    import onnx

HINT = "onnx.checker.check_model(path) checks the model; export it again"
_LOCAL = "model-local"  # the domain of functions of the model itself that are called as operators of ONNX
_MOST_NAMED = 6


def checked_operators(model: onnx.ModelProto, where: str) -> tuple[tuple[Operator, ...], list[Note]]:
    """The operators; the graph's nodes are sorted if they are not in an executable order, and a Note says so.

    Raises TrexError for a value that is written twice, a cycle, and an operator of ONNX's own that lacks an input,
    output or attribute, or has too many or one of another type.
    """
    graph = model.graph
    operators = _operators(model)
    _check_writers(graph, operators, where)
    notes = _sort(graph, operators, where)
    if notes:
        operators = _operators(model)
    _check_definitions(model, operators, where)
    return operators, notes


def _operators(model: onnx.ModelProto) -> tuple[Operator, ...]:
    """Nothing is known of a function that was not inlined, whatever its name: it is no operator of ONNX's own."""
    own = {text_of(function.name) for function in model.functions if not domain_of(function.domain)}
    operators = operators_of(model.graph.node)
    if not own:
        return tuple(operators)
    return tuple(
        replace(operator, domain=_LOCAL) if operator.type in own and not operator.domain else operator
        for operator in operators
    )


def _check_writers(graph: onnx.GraphProto, operators: Sequence[Operator], where: str) -> None:
    inputs = Counter(text_of(info.name) for info in graph.input)
    if twice := [name for name, count in inputs.items() if count > 1]:
        raise TrexError(f"the model has several inputs called {twice[0]!r}", HINT, where)
    written = dict.fromkeys(inputs, "an input of the model")
    written.update((text_of(tensor.name), "an initializer") for tensor in graph.initializer)
    for operator in operators:
        for name in filter(None, operator.outputs):
            if name in written:
                message = f"{_address(operator)} writes {name!r}, which is also {written[name]}"
                raise TrexError(message, HINT, where)
            written[name] = f"an output of {_address(operator)}"


def _sort(graph: onnx.GraphProto, operators: Sequence[Operator], where: str) -> list[Note]:
    writers = {name: operator.index for operator in operators for name in operator.outputs if name}
    needs = {operator.index: [writers[name] for name in operator.reads if name in writers] for operator in operators}
    early = sum(any(writer >= index for writer in before) for index, before in needs.items())
    if not early:
        return []
    try:
        order = list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        names = [_address(operators[index]) for index in error.args[1][:_MOST_NAMED]]
        raise TrexError(f"operators depend on their own results: {', '.join(names)}", HINT, where) from None
    nodes = [graph.node[index] for index in order]
    del graph.node[:]
    graph.node.extend(nodes)
    message = f"{counted(early, 'operator')} of the model stood before what they read; they were sorted"
    return [Note("model-not-sorted", message, HINT, where)]


@dataclass(frozen=True, slots=True)
class _Definition:
    """Of an operator in ONNX's standard. inputs: names of those that cannot be left out. most_inputs, least_outputs,
    most_outputs: numbers. attributes: {name: type}; required: those without a default.
    """

    inputs: tuple[str, ...]
    most_inputs: int
    least_outputs: int
    most_outputs: int
    attributes: Mapping[str, int]
    required: tuple[str, ...]


def _check_definitions(model: onnx.ModelProto, operators: Iterable[Operator], where: str) -> None:
    version = max((entry.version for entry in model.opset_import if not domain_of(entry.domain)), default=0)
    known: dict[str, _Definition | None] = {}
    for operator, node in zip(operators, model.graph.node, strict=True):
        if operator.domain:
            continue
        if operator.type not in known:
            known[operator.type] = _definition(operator.type, version)
        definition = known[operator.type]
        if definition is not None:
            problem = next(_problems(operator, node, definition), "")
            if problem:
                raise TrexError(f"{_address(operator)} {problem}", _hint(version), where)


def _hint(version: int) -> str:
    from onnx import defs

    newest = defs.onnx_opset_version()
    return HINT if version <= newest else f"the model is of opset {version}, the package onnx knows {newest}: update it"


def _definition(name: str, version: int) -> _Definition | None:
    """At that version of the standard, else (newer than the package, older than the operator, deprecated) the nearest
    one; None for an unknown operator.
    """
    from onnx import AttributeProto, defs

    if not defs.has(name):
        return None
    try:
        schema = defs.get_schema(name, max_inclusive_version=min(max(version, 0), defs.onnx_opset_version()))
        if schema.deprecated:
            schema = defs.get_schema(name, max_inclusive_version=schema.since_version - 1)
    except defs.SchemaError:
        schema = defs.get_schema(name)
    single = defs.OpSchema.FormalParameterOption.Single
    return _Definition(
        tuple(end.name for end in schema.inputs if end.option == single),
        schema.max_input,
        schema.min_output,
        schema.max_output,
        {
            entry.name: AttributeProto.AttributeType.Value(str(entry.type).rpartition(".")[2])
            for entry in schema.attributes.values()
        },
        tuple(entry.name for entry in schema.attributes.values() if entry.required),
    )


def _problems(operator: Operator, node: onnx.NodeProto, definition: _Definition) -> Iterator[str]:
    for index, name in enumerate(definition.inputs):
        if index >= len(operator.inputs) or not operator.inputs[index]:
            yield f"has no input {name!r}"
    if len(operator.inputs) > definition.most_inputs:
        yield f"has {counted(len(operator.inputs), 'input')}, more than {definition.most_inputs}"
    # Optimizers leave out outputs that nothing reads, also required ones; some output must be left.
    if len(operator.outputs) < definition.least_outputs or not any(operator.outputs):
        yield f"has too few outputs, fewer than {max(1, definition.least_outputs)}"
    if len(operator.outputs) > definition.most_outputs:
        yield f"has {counted(len(operator.outputs), 'output')}, more than {definition.most_outputs}"
    written = {text_of(entry.name): entry for entry in node.attribute}
    for name in definition.required:
        if name not in written:
            yield f"has no attribute {name!r}"
    for name, entry in written.items():
        expected = definition.attributes.get(name)
        if expected and entry.type != expected and not text_of(entry.ref_attr_name):
            yield f"has an attribute {name!r} of another type"


def _address(operator: Operator) -> str:
    return f"operator {operator.index} {operator.name!r} ({operator.qualified_type})"
