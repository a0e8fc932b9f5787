"""Pairs of engines before and after a change: savings that lint announced against what the change realized."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.judged.engines import lint_of, plan_of
from trex.perf.performance import Performance

_QUANTIZERS = frozenset(("QDQ001", "QDQ002", "QDQ008", "QDQ009", "PREC002", "REF005"))
_HALF = frozenset(("PREC004", "CONV001", "REF005"))
PAIRS = (
    ("trt8.4-resnet18-a100-qat", "trt8.4-resnet18-a100-qat-residual", _QUANTIZERS),
    ("trt8.4-resnet18-a100-qat-residual", "trt8.4-resnet18-a100-qat-residual-qgap", _QUANTIZERS - {"REF005"}),
    ("trt8.4-mobilenetv2-qat", "trt8.4-mobilenetv2-qat-residuals", _QUANTIZERS - {"QDQ008"}),
    ("trt8.4-resnet18-a100-fp32", "trt8.4-resnet18-a100-fp16", _HALF),
    ("trt8.2-resnet50-rtx3090-fp32", "trt8.2-resnet50-rtx3090-fp16", _HALF),
    ("trt10.1-alexnet-onnx", "trt10.4-alexnet-fp16-rtx3060", _HALF | {"PREC002"}),
    ("example/resnet18-int8", "example/resnet18-int8-residual", _QUANTIZERS),
)
"""(before, after, the rules whose findings the change addressed)."""


@dataclass(frozen=True)
class PairResult:
    """announced_ms: likely savings of the findings addressed. realized_ms: of GPU compute, or of the sum of layers
    where one engine has no GPU compute (``is_compute``); layers_ms: of the sum of layers.
    """

    before: str
    after: str
    announced_ms: float
    realized_ms: float
    layers_ms: float
    is_compute: bool

    @property
    def ratio(self) -> float:
        return self.announced_ms / self.realized_ms


def pair_results() -> Iterator[PairResult]:
    """Of the pairs whose engines are here."""
    for before, after, codes in PAIRS:
        result, plans = lint_of(before), (plan_of(before), plan_of(after))
        if result is None or plans[0] is None or plans[1] is None:
            continue
        announced = sum(finding.likely_savings_ms or 0.0 for finding in result.findings if finding.code in codes)
        old, new = (Performance(plan).reconciliation.measures for plan in plans if plan is not None)
        layers = (old.layers.ms or 0.0) - (new.layers.ms or 0.0)
        is_compute = old.compute.ms is not None and new.compute.ms is not None
        realized = (old.compute.ms or 0.0) - (new.compute.ms or 0.0) if is_compute else layers
        yield PairResult(before, after, announced, realized, layers, is_compute)
