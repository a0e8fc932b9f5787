"""Model: an ONNX graph as frozen facts — operators, values and their shapes — indexed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from trex.core.note import Note
from trex.core.operator import Operator, Value
from trex.core.shape import is_static

# What the same inputs do not determine; an optimizer leaves them alone.
_RANDOM = frozenset(
    {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
)
# Operators of other domains are plugins to an engine, which are never run while it is built.
_FOLDED_DOMAINS = frozenset({"", "com.microsoft"})
_OF_THE_SHAPE = frozenset({"Shape", "Size"})


@dataclass(frozen=True)
class Model:
    """What an ONNX file says a network computes; its weights are known by shape and type only.

    operators: in the order of the file, which ONNX demands to be one of execution. values: every tensor by name, with
    the shape that is written or was inferred. inputs: of the graph, those that only default to an initializer left
    out. opsets: version by domain, "" for ONNX's own. functions: names of the model's own functions that stayed
    operators. source: the file.
    """

    operators: tuple[Operator, ...]
    values: Mapping[str, Value]
    inputs: tuple[Value, ...] = ()
    outputs: tuple[Value, ...] = ()
    opsets: Mapping[str, int] = field(default_factory=dict)
    name: str = ""
    source: str = ""
    producer: str = ""
    ir_version: int = 0
    functions: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @cached_property
    def by_name(self) -> Mapping[str, tuple[Operator, ...]]:
        """Operators of each name, in the order of the file (a name may repeat)."""
        groups: dict[str, list[Operator]] = {}
        for operator in self.operators:
            groups.setdefault(operator.name, []).append(operator)
        return {name: tuple(group) for name, group in groups.items()}

    @cached_property
    def producers(self) -> Mapping[str, Operator]:
        """The operator that writes a value; the first when a broken file has several."""
        found: dict[str, Operator] = {}
        for operator in self.operators:
            for name in operator.outputs:
                if name:
                    found.setdefault(name, operator)
        return found

    @cached_property
    def consumers(self) -> Mapping[str, tuple[Operator, ...]]:
        """Operators that read a value, each once, in the order of the file; reads of a subgraph count."""
        groups: dict[str, list[Operator]] = {}
        for operator in self.operators:
            for name in operator.reads:
                groups.setdefault(name, []).append(operator)
        return {name: tuple(group) for name, group in groups.items()}

    @cached_property
    def initializers(self) -> tuple[Value, ...]:
        """The values stored in the file."""
        return tuple(value for value in self.values.values() if value.is_stored)

    @cached_property
    def constants(self) -> frozenset[str]:
        """Names of the values that are known before any input is: initializers, and what is computed of them alone.

        An engine stores them; operators that only write such values do no work when it runs. The shape of a value of
        known shape is one of them.
        """
        known = {value.name for value in self.initializers}
        for operator in self.operators:
            if operator.type in _RANDOM or operator.domain not in _FOLDED_DOMAINS or operator.subgraphs:
                continue
            shape_only = operator.type in _OF_THE_SHAPE and not operator.domain
            if all(name in known for name in operator.inputs if name) or (
                shape_only and all(self._is_static(name) for name in operator.inputs)
            ):
                known.update(filter(None, operator.outputs))
        return frozenset(known)

    def _is_static(self, name: str) -> bool:
        value = self.values.get(name)
        return value is not None and is_static(value.shape)

    def value(self, name: str) -> Value | None:
        """The value of that name; None for "" and for what the file does not describe."""
        return self.values.get(name)

    def inputs_of(self, operator: Operator) -> tuple[Value | None, ...]:
        """In the operator's order, None where one is left out or not known."""
        return tuple(map(self.values.get, operator.inputs))

    def outputs_of(self, operator: Operator) -> tuple[Value | None, ...]:
        return tuple(map(self.values.get, operator.outputs))
