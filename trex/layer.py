"""Layer: one step of an engine from its raw record, under TREx's names; and the folding of NoOps.

Differs from NVIDIA's TREx: ``precision`` is the type the layer computes in, not its first input's; sizes count bias and
every weight type, and are None when unknown; folding keeps every edge and changes no layer it is given.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from trex import _reexported
from trex.activations import Activation
from trex.classic.views_of_facts import ViewOfFact, fact_of
from trex.core.layer import Layer as Fact
from trex.ingest.graph_json import layers_from_raw
from trex.plan.folding import fold_no_ops as fold

__all__ = ["Layer", "fold_no_ops"]


class Layer(metaclass=ViewOfFact):
    """A layer as users of TREx know it; ``fact`` is the typed layer behind it, whose other attributes it has, too.

    Typed layers (``plan.working_layers``) have all these attributes and count as instances.

    weights_cnt, bias_cnt: number of values, 0 without any. weights_type, bias_type: ``FP16``, None without
    any. Sizes in bytes, None when unknown; weights_size includes bias_size, as in the column ``weights_size``.
    """

    FACT = Fact

    def __init__(self, raw_dict: dict[str, Any]) -> None:
        (fact,) = layers_from_raw([raw_dict])
        self._read(fact)

    @classmethod
    def of(cls, fact: Fact) -> Layer:
        """The classic view of a typed layer."""
        layer = cls.__new__(cls)
        layer._read(fact_of(fact))
        return layer

    def _read(self, fact: Fact) -> None:
        self.fact = fact
        self.raw_dict = fact.raw
        self.name, self.type, self.subtype = fact.name, fact.type, fact.subtype
        self.metadata = fact.metadata
        self.inputs = [Activation.of(tensor) for tensor in fact.inputs]
        self.outputs = [Activation.of(tensor) for tensor in fact.outputs]
        self.precision = fact.precision
        self.inputs_size_bytes = fact.inputs_size_bytes
        self.outputs_size_bytes = fact.outputs_size_bytes
        self.total_io_size_bytes = fact.total_io_size_bytes
        self.total_footprint_bytes = fact.total_footprint_bytes
        self.weights_cnt, self.weights_type, self.weights_size = fact.weights_cnt, fact.weights_type, fact.weights_size
        self.bias_cnt, self.bias_type, self.bias_size = fact.bias_cnt, fact.bias_type, fact.bias_size

    def tooltip(self) -> str:
        """The record's keys and values, one per line, sorted; tensors left out."""
        return self.fact.tooltip()

    def __getattr__(self, name: str) -> Any:
        if name == "fact" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.fact, name)

    def __repr__(self) -> str:
        inputs, outputs = (", ".join(map(repr, side)) for side in (self.inputs, self.outputs))
        return f"{self.name} ({self.type}, {self.precision}): [{inputs}] -> [{outputs}]"


def fold_no_ops(layers: Sequence[Layer | Fact], bindings: Collection[str]) -> list[Layer]:
    """The layers without NoOps, neighbors rewired; ``bindings`` keep their names. See ``trex.plan.folding``.

    layers: these or typed ones, in execution order.
    """
    return [Layer.of(fact) for fact in fold(list(map(fact_of, layers)), bindings)]


__getattr__ = _reexported(__name__)
