"""The weight of each operation in the kernel that contains it, by which fused time is split."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from trex.core.model import Model
from trex.core.operator import Operator
from trex.perf.mac_rates import DeviceRates
from trex.perf.performance import Performance
from trex.perf.work.named_operations import gemm_in_names
from trex.perf.work.operand import Count
from trex.perf.work.operators import operator_count
from trex.plan.operations import names_in, operation_names, operator_word

ALONE, BY_WORK, BY_NAME = "alone in its layer", "by its work in the model", "by its layer's work"
EQUAL = "in equal shares"
REGION = "foreign"
_GEMMS = frozenset({"convolution", "deconvolution", "fullyconnected", "matrixmultiply", "addmm", "bmm", "mm"})


@lru_cache(maxsize=65536)
def is_gemm(name: str) -> bool:
    """Whether a node is a convolution or a matrix multiplication, by its name."""
    return bool(gemm_in_names((name,))) or operator_word(name) in _GEMMS


class OperationWeights:
    """The operations in each layer of one plan, and their weights: ms of their own roofline, or counts."""

    def __init__(self, performance: Performance) -> None:
        plan = performance.plan
        self._layers = plan.working_layers
        self._works = performance.works
        self._rates = performance.roofline.rate
        self._cuda = DeviceRates(performance.device)
        self._counts: dict[int, Count] = {}
        self._counts_by_layer: list[dict[str, tuple[int, Count]]] = []
        self._regions: frozenset[int] = frozenset()
        origins = plan.onnx_origins
        if origins is not None and plan.model is not None and performance.model_works.is_used:
            self._counts_by_layer = [self._counted(group, plan.model) for group in origins.operators]
            self._regions = origins.regions
        self._layer_count = Counter(index for counts in self._counts_by_layer for index, _ in counts.values())

    def _counted(self, operators: Sequence[Operator], model: Model) -> dict[str, tuple[int, Count]]:
        """{name: (index in the model, work)} of one layer's operators."""
        for operator in operators:
            if operator.index not in self._counts:
                self._counts[operator.index] = operator_count(operator, model)
        return {operator.name: (operator.index, self._counts[operator.index]) for operator in operators}

    def names(self, index: int) -> tuple[str, ...]:
        """The operations in the layer; () for a region named by its two ends."""
        layer = self._layers[index]
        names = operation_names(layer)
        if REGION in layer.name_parts.fusion and not layer.name_parts.wraps:
            if index in self._regions:
                return tuple(self._counts_by_layer[index])
            if len(names) > 1 and set(names) <= set(names_in(layer.name_parts)):
                return ()
        return names

    def weights(self, index: int, names: Sequence[str]) -> tuple[Sequence[float], str]:
        """(one weight per name, the rule)."""
        if len(names) > 1:
            if (weights := self._by_work(index, names)) is not None:
                return weights, BY_WORK
            if (weights := self._by_name(index, names)) is not None:
                return weights, BY_NAME
        return self.equal(names)

    @staticmethod
    def equal(names: Sequence[str]) -> tuple[Sequence[float], str]:
        return (1.0,) * len(names), EQUAL if len(names) > 1 else ALONE

    def _by_work(self, index: int, names: Sequence[str]) -> list[float] | None:
        counts = self._counts_by_layer[index] if self._counts_by_layer else {}
        works = [counts[name] for name in names if name in counts]
        if len(works) < len(names) or any(work.macs is None or work.other_ops is None for _, work in works):
            return None
        has_gemm = any(work.macs for _, work in works)
        written = 0.0 if has_gemm else float(self._written(index))
        mac_weight, other_weight = self._units(index)
        weights = []
        for operator, work in works:
            own = mac_weight * (work.macs or 0.0) + other_weight * max(work.other_ops or 0.0, written)
            weights.append(own / max(self._layer_count[operator], 1))
        return weights if math.fsum(weights) > 0.0 else None

    def _by_name(self, index: int, names: Sequence[str]) -> list[float] | None:
        work = self._works[index]
        gemms = sum(map(is_gemm, names))
        if not work.macs or not gemms or gemms == len(names):
            return None
        rest = len(names) - gemms
        other = max(work.other_ops or 0.0, float(self._written(index) * rest))
        mac_weight, other_weight = self._units(index)
        return [mac_weight * work.macs / gemms if is_gemm(name) else other_weight * other / rest for name in names]

    def _units(self, index: int) -> tuple[float, float]:
        """(weight of a MAC, of another operation): times, or counts if a rate is unknown."""
        rate, cuda = float(self._rates[index]), self._cuda.cuda(self._layers[index].compute.data_type)
        if not (rate > 0.0 and cuda > 0.0):
            return 2.0, 1.0
        return 2.0e3 / rate, 1.0e3 / cuda

    def _written(self, index: int) -> int:
        return sum(tensor.volume or 0 for tensor in self._layers[index].outputs)
