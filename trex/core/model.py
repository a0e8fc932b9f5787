"""Model: an ONNX graph with its operators, values and shapes, indexed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from trex.core.note import Note
from trex.core.operator import Operator, Value
from trex.core.shape import is_static

# Not determined by their inputs: an optimizer does not fold them.
_RANDOM = frozenset(
    {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
)
# Operators of other domains are plugins, which are never run during the build.
_FOLDED_DOMAINS = frozenset({"", "com.microsoft"})
_SHAPE_OPERATORS = frozenset({"Shape", "Size"})


@dataclass(frozen=True)
class Model:
    """A network as an ONNX file describes it; of its weights, only shapes and types are known.

    operators: in the order of the file, which is an order of execution. values: every tensor by name, with the shape
    that is written or inferred. inputs: of the graph, without those that default to an initializer. source: the file.
    """

    operators: tuple[Operator, ...]
    values: Mapping[str, Value]
    inputs: tuple[Value, ...] = ()
    outputs: tuple[Value, ...] = ()
    name: str = ""
    source: str = ""
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
        """The operator that writes a value; the first if a broken file has several."""
        producers: dict[str, Operator] = {}
        for operator in self.operators:
            for name in operator.outputs:
                if name:
                    producers.setdefault(name, operator)
        return producers

    @cached_property
    def consumers(self) -> Mapping[str, tuple[Operator, ...]]:
        """Operators that read a value, each once, in the order of the file; reads in its subgraphs count."""
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
        """Names of the values that do not depend on inputs: initializers, and what is computed from them alone.

        An engine stores them; operators that only write such values do no work when it runs. The shape of a value
        with a static shape is one of them.
        """
        known = {value.name for value in self.initializers}
        for operator in self.operators:
            if operator.type in _RANDOM or operator.domain not in _FOLDED_DOMAINS or operator.subgraphs:
                continue
            shape_only = operator.type in _SHAPE_OPERATORS and not operator.domain
            if all(name in known for name in operator.inputs if name) or (
                shape_only and all(self._is_static(name) for name in operator.inputs)
            ):
                known.update(filter(None, operator.outputs))
        return frozenset(known)

    def _is_static(self, name: str) -> bool:
        value = self.values.get(name)
        return value is not None and is_static(value.shape)

    def value(self, name: str) -> Value | None:
        """The value of that name; None for "" and for values without a description."""
        return self.values.get(name)

    def inputs_of(self, operator: Operator) -> tuple[Value | None, ...]:
        """In the operator's order; None for one that is left out or unknown."""
        return tuple(map(self.values.get, operator.inputs))

    def outputs_of(self, operator: Operator) -> tuple[Value | None, ...]:
        return tuple(map(self.values.get, operator.outputs))
