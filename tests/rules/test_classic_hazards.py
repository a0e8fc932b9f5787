"""What TREx's convolution linter found on MobileNet-v2 (QAT), ``ConvLinter`` lists; rules report what can be gained.

The classic linter asked three questions of each convolution; 41 answers were hazards:

- 18 without tensor cores: the kernel's name is not one of ``imma hmma xmma i88 884``. These are the 17 depthwise
  convolutions, which have no kernel's name, and the first convolution (``volta_int8x4_…``).
- 17 of mixed precision: the first input is of another type than the output: all that write FP16 or FP32.
- 6 not aligned: input or output channels are no multiple of 16 at INT8 (3, 24, 144 → 24, 24 → 144 twice, 1000).

18 + 17 + 6 = 41, counted here from the engine's records without any rule. The classic linter then kept one hazard per
layer, so that 37 rows were left: 4 layers have two.

Of these, the 17 depthwise convolutions without tensor cores, the first convolution's three channels, the classifier's
1000 classes and kernels that the launch bounds are no findings: changing them gains nothing.
"""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

import trex
from trex.core.layer import Layer
from trex.engine_plan import load
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.lint import lint
from trex.rules.lint_result import LintResult

TENSOR_CORES, MIXED, ALIGNMENT = "tensor cores", "mixed precision", "alignment"
WORDS = {TENSOR_CORES: "not accelerated", MIXED: "outputs", ALIGNMENT: "aligned"}


@pytest.fixture(scope="module")
def plan(shared_engines: Path) -> EnginePlan:
    return load(shared_engines / "trt8.4-mobilenetv2-qat")


@pytest.fixture(scope="module")
def found(plan: EnginePlan) -> LintResult:
    return lint(Performance(plan))


def classic_hazards(plan: EnginePlan) -> set[tuple[int, str]]:
    """(layer.index, hazard) as the classic linter's three questions answer."""
    return {(layer.index, hazard) for layer in plan.working_layers for hazard in _hazards(layer)}


def _hazards(layer: Layer) -> set[str]:
    if layer.type != "Convolution":
        return set()
    source, output = layer.inputs[0], layer.outputs[0]
    found = set()
    if not re.search("imma|hmma|xmma|i88|884", layer.tactic):
        found.add(TENSOR_CORES)
    if source.data_type is not output.data_type:
        found.add(MIXED)
    channels = [tensor.shape[1] if tensor.shape else None for tensor in (source, output)]
    assert None not in channels
    if any(count is not None and count % 16 for count in channels):
        found.add(ALIGNMENT)
    return found


def test_the_forty_one(plan: EnginePlan) -> None:
    hazards = classic_hazards(plan)
    counts = [sum(kind == each for _, each in hazards) for kind in (TENSOR_CORES, MIXED, ALIGNMENT)]
    assert counts == [18, 17, 6] and sum(counts) == 41
    assert len({index for index, _ in hazards}) == 37


def test_the_classic_linter_lists_every_one_of_them(plan: EnginePlan) -> None:
    table: pd.DataFrame = trex.ConvLinter(plan).lint()
    names = {layer.index: layer.name for layer in plan.working_layers}
    rows = list(zip(table["name"], table["hazard"]))
    for index, kind in classic_hazards(plan):
        assert any(name == names[index] and re.search(WORDS[kind], hazard) for name, hazard in rows), (index, kind)


def test_what_gains_nothing_is_no_finding(plan: EnginePlan, found: LintResult) -> None:
    assert not found.failed
    assert {"CONV001", "CONV003"}.isdisjoint(finding.code for finding in found.findings)
    mixed = {index for index, kind in classic_hazards(plan) if kind == MIXED}
    reported = {index for each in found.findings if each.code.startswith("QDQ") for index in each.layers}
    # The last one writes the engine's output, which the application reads as floats.
    assert mixed - reported == {max(layer.index for layer in plan.working_layers if layer.type == "Convolution")}


def test_they_are_ranked_by_cost(found: LintResult) -> None:
    costs = [each.likely_savings_ms or 0.0 for each in found.findings if not each.is_first]
    assert costs == sorted(costs, reverse=True) and costs[0] > 0
    assert (found.savings_ms or 0) <= (found.total_ms or 0)
