"""Both sides of a comparison → a problem where the times of one side are of two runs, or those of the other's run.

One engine alone may be measured at two clocks; the same network on one machine has layers that add up to the same part
of GPU compute, apart from the cost of timing them: 0.9 to 1.0 on the real engines of one network, whatever their types.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from trex.compare.metric import metric_value
from trex.compare.significance import Significance
from trex.core.counted import counted
from trex.core.note import Note
from trex.core.significant import significant
from trex.perf.performance import Performance
from trex.plan.time_units import TWO_RUNS, USUAL_OVERHEAD_MS

_OTHER = 1.4
"""Between the two sides' shares of layers in GPU compute."""
_USUAL = 0.9
_HINT = "keep the files of one run together, and measure with locked clocks"


@dataclass(frozen=True, slots=True)
class _Sums:
    layers_ms: float
    compute_ms: float
    overhead_ms: float

    @property
    def ratio(self) -> float:
        """Of a network 0.5 to 1.0: timing small layers costs most."""
        return self.layers_ms / (self.compute_ms + self.overhead_ms)

    @property
    def unusual(self) -> float:
        return abs(math.log(self.ratio / _USUAL))

    def differs(self, other: _Sums) -> bool:
        """By a factor that no clocks of one run explain, and by more than timing the layers costs."""
        excess = self.layers_ms - other.layers_ms * self.compute_ms / other.compute_ms
        is_other = max(self.ratio, other.ratio) > _OTHER * min(self.ratio, other.ratio)
        return is_other and abs(excess) > max(self.overhead_ms, other.overhead_ms)


def two_runs(base: Performance, new: Performance, main: Significance) -> Iterator[Note]:
    """At most one Note. main: the comparison of their samples."""
    sources = {"base": base.plan.engine.source, "new": new.plan.engine.source}
    left, right = _sums(base), _sums(new)
    if main.is_one_run and main.prediction is None:
        counts = [len(side.plan.engine.layers) for side in (base, new)]
        if counts[0] != counts[1] and all(side.plan.engine.verbosity == "detailed" for side in (base, new)):
            words = (
                f"{counted(counts[1], 'layer')} where base has {counts[0]:,}, and the same samples to the last digit"
            )
            yield Note(
                TWO_RUNS, f"new: {words}: the times of one engine are the other's", _HINT, sources["new"], "problem"
            )
    elif left and right and left.differs(right):
        name, sums, other = ("new", right, left) if right.unusual > left.unusual else ("base", left, right)
        words = (
            f"the layers add up to {significant(sums.layers_ms, 3)} ms, GPU compute is "
            f"{significant(sums.compute_ms, 3)} ms; the other side has {significant(other.layers_ms, 3)} and "
            f"{significant(other.compute_ms, 3)} ms: these are two runs, or other clocks"
        )
        yield Note(TWO_RUNS, f"{name}: {words}", _HINT, sources[name], "problem")


def _sums(side: Performance) -> _Sums | None:
    """None where a sum is not known, or predicted; of several streams, layers overlap."""
    plan = side.plan
    layers, compute = metric_value("layer-sum", side), side.reconciliation.measures.compute.ms
    if plan.provenance.has_predicted_times or plan.layer_times is None or not layers or not compute:
        return None
    streams = {layer.stream for layer in plan.working_layers if layer.stream is not None}
    return _Sums(layers, compute, USUAL_OVERHEAD_MS * len(plan.layer_times.records)) if len(streams) < 2 else None
