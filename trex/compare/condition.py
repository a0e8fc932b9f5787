"""Text → Condition: ``latency>+3%``, of the command line or of the configuration."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from trex.compare.metric import METRICS, Metric, metric_labels
from trex.core.configuration import CompareConfiguration, Limit
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.printable import clipped

_METRIC = re.compile(r"[\w-]+")
_ALLOWED = re.compile(r"([+-]?)\s*([0-9]{1,15}(?:\.[0-9]{0,15})?|\.[0-9]{1,15})\s*(%|[A-Za-z/]+)")
_LONGEST = 1000
_MOST_LIMITS = 1000
_RESOLUTION = 1e-5


@dataclass(frozen=True, slots=True)
class Condition:
    """text: as written. metric: its name. glob: of layers' names or types. limit: the allowed change for the worse, in
    percent of the base or in the metric's unit. where: the file and line of a configured condition, which applies to
    all engines, whether they have such layers or not; "" for one of the command line.
    """

    text: str
    metric: str
    glob: str
    limit: float
    is_percent: bool
    where: str = ""

    @property
    def definition(self) -> Metric:
        metric: Metric = METRICS[self.metric].value
        return metric

    def regression(self, left: float, right: float) -> float:
        """The change for the worse in the limit's unit; none beyond the sixth digit, since TensorRT and baselines write
        six.
        """
        if math.isclose(left, right, rel_tol=_RESOLUTION):
            return 0.0
        worse = left - right if self.definition.higher_is_better else right - left
        if not self.is_percent:
            return worse
        if left <= 0.0:
            return math.inf if worse > 0.0 else 0.0
        return 100.0 * worse / left

    def is_within(self, left: float, right: float) -> bool:
        return self.regression(left, right) <= self.limit


def read_condition(text: str, where: str = "") -> Condition:
    """``latency>+3%``, ``compute>+0.2ms``, ``layer:gemm*>+10%``. Raises TrexError for anything else."""
    at = max(text.rfind(">"), text.rfind("<"))
    name, has_glob, glob = (part.strip() for part in text[: max(at, 0)].partition(":"))
    allowed = _ALLOWED.fullmatch(text[at + 1 :].strip())
    is_decrease = text[at : at + 1] == "<"
    signs = ("-",) if is_decrease else ("", "+")
    is_condition = (
        allowed is not None and allowed[1] in signs and _METRIC.fullmatch(name) and bool(glob) == bool(has_glob)
    )
    if allowed is None or not is_condition or len(text) > _LONGEST:
        raise TrexError(f"{clipped(text, 100)!r} is not a gate condition", _hint(), where)
    unit = allowed[3]
    if name not in METRICS:
        hint = did_you_mean(name, METRICS, f"metrics: {', '.join(metric_labels())}")
        raise TrexError(f"there is no metric {name!r}", hint, where)
    metric: Metric = METRICS[name].value
    if metric.per_layer != bool(glob) or unit not in ("%", metric.unit) or is_decrease != metric.higher_is_better:
        raise TrexError(f"{text!r} is not a gate condition", _hint(name), where)
    return Condition(text, name, glob, float(allowed[2]), unit == "%", where)


def _hint(name: str = "") -> str:
    """How to write conditions, of one metric or in general."""
    if not name:
        return f'METRIC>+N%: "latency>+3%", "layer:gemm*>+10%"; metrics: {", ".join(metric_labels())}'
    metric: Metric = METRICS[name].value
    subject, sign = f"{name}:GLOB" if metric.per_layer else name, "<-" if metric.higher_is_better else ">+"
    return f'"{subject}{sign}3%" or "{subject}{sign}0.1{metric.unit}"'


def conditions_of(texts: Sequence[str], limits: Sequence[Limit] = ()) -> list[Condition]:
    """The given conditions, and the configured limits of other metrics. Raises TrexError as above."""
    conditions = [read_condition(text) for text in texts]
    given = {(condition.metric, condition.glob) for condition in conditions}
    configured = (_configured(limit) for limit in limits)
    return conditions + [condition for condition in configured if (condition.metric, condition.glob) not in given]


def check_limits(configuration: CompareConfiguration) -> None:
    """Raises TrexError, with the file and line, for a configured limit that is not a condition."""
    for limits in (configuration.limits, *(limits for _, limits in configuration.engines)):
        if len(limits) > _MOST_LIMITS:
            where = next(iter(limits.values())).where
            raise TrexError(
                f"{len(limits):,} limits: at most {_MOST_LIMITS:,} are judged", "use globs of layers", where
            )
        for limit in limits.values():
            _configured(limit)


def _configured(limit: Limit) -> Condition:
    """``latency = "+3%"``; a limit that is switched off is read as any limit, for its metric's sake."""
    name = limit.metric.partition(":")[0].strip()
    metric: Metric | None = METRICS[name].value if name in METRICS else None
    is_higher_better = metric is not None and metric.higher_is_better
    allowed = limit.allowed.strip() or ("-0%" if is_higher_better else "+0%")
    return read_condition(f"{limit.metric}{'<' if is_higher_better else '>'}{allowed}", limit.where)
