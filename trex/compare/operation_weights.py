"""Performance → OperationWeights: what each operation weighs in the kernel that holds it, and how that is known."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from trex.core.model import Model
from trex.core.operator import Operator
from trex.perf.mac_rates import DeviceRates
from trex.perf.performance import Performance
from trex.perf.work.named_operations import gemm_in_names
from trex.perf.work.operand import Count
from trex.perf.work.operators import operator_count
from trex.plan.operations import names_in, operation_names, operator_word

ALONE, BY_WORK, BY_NAME = "alone in its layer", "by its work in the model", "by its layer's work"
EQUAL = "in equal parts"
REGION = "foreign"
_PRODUCTS = frozenset({"convolution", "deconvolution", "fullyconnected", "matrixmultiply", "addmm", "bmm", "mm"})


def is_product(name: str) -> bool:
    """Whether a node is a convolution or a matrix product, by its name."""
    return bool(gemm_in_names((name,))) or operator_word(name) in _PRODUCTS


class OperationWeights:
    """Of one plan: which operations each layer holds, and what they weigh, in ms of their own roofline or in counts."""

    def __init__(self, performance: Performance) -> None:
        plan = performance.plan
        self._layers = plan.layers
        self._works = performance.works
        self._rates = performance.roofline.rate
        self._cuda = DeviceRates(performance.device)
        self._counts: dict[int, Count] = {}
        self._places: list[dict[str, tuple[int, Count]]] = []
        self._regions: frozenset[int] = frozenset()
        origins = plan.onnx_origins
        if origins is not None and plan.model is not None and performance.model_works.is_used:
            self._places = list(self._told(origins.operators, plan.model))
            self._regions = origins.regions
        self._sharers = Counter(index for found in self._places for index, _ in found.values())

    def _told(self, groups: Sequence[Sequence[Operator]], model: Model) -> Iterator[dict[str, tuple[int, Count]]]:
        for group in groups:
            found = {}
            for operator in group:
                if operator.index not in self._counts:
                    self._counts[operator.index] = operator_count(operator, model)
                found[operator.name] = (operator.index, self._counts[operator.index])
            yield found

    def names(self, place: int) -> tuple[str, ...]:
        """Of the operations that the layer holds; () for a region that tells no more than its two ends."""
        layer = self._layers[place]
        names = operation_names(layer)
        if REGION in layer.name_parts.fusion and not layer.name_parts.wraps:
            if place in self._regions:
                return tuple(self._places[place])
            if len(names) > 1 and set(names) <= set(names_in(layer.name_parts)):
                return ()
        return names

    def weights(self, place: int, names: Sequence[str]) -> tuple[Sequence[float], str]:
        """(one weight per name, how they were found)."""
        if len(names) == 1:
            return self.equal(names)
        found = self._by_work(place, names)
        if found is not None:
            return found, BY_WORK
        found = self._by_name(place, names)
        return self.equal(names) if found is None else (found, BY_NAME)

    @staticmethod
    def equal(names: Sequence[str]) -> tuple[Sequence[float], str]:
        return (1.0,) * len(names), EQUAL if len(names) > 1 else ALONE

    def _by_work(self, place: int, names: Sequence[str]) -> list[float] | None:
        told = self._places[place] if self._places else {}
        counts = [told.get(name) for name in names]
        works = [each for each in counts if each is not None]
        if len(works) < len(names) or any(work.macs is None or work.other_ops is None for _, work in works):
            return None
        has_product = any(work.macs for _, work in works)
        volumes = 0.0 if has_product else float(self._written(place))
        macs_ms, other_ms = self._units(place)
        weights = []
        for index, work in works:
            own = macs_ms * (work.macs or 0.0) + other_ms * max(work.other_ops or 0.0, volumes)
            weights.append(own / max(self._sharers[index], 1))
        return weights if math.fsum(weights) > 0.0 else None

    def _by_name(self, place: int, names: Sequence[str]) -> list[float] | None:
        work = self._works[place]
        products = sum(map(is_product, names))
        if not work.macs or not products or products == len(names):
            return None
        rest = len(names) - products
        other = max(work.other_ops or 0.0, float(self._written(place) * rest))
        macs_ms, other_ms = self._units(place)
        return [macs_ms * work.macs / products if each else other_ms * other / rest for each in map(is_product, names)]

    def _units(self, place: int) -> tuple[float, float]:
        """(weight of a multiply-add, of another operation): times, or counts where a rate is not known."""
        rate, cuda = float(self._rates[place]), self._cuda.cuda(self._layers[place].compute.data_type)
        if not (rate > 0.0 and cuda > 0.0):
            return 2.0, 1.0
        return 2.0e3 / rate, 1.0e3 / cuda

    def _written(self, place: int) -> int:
        return sum(tensor.volume or 0 for tensor in self._layers[place].outputs)
