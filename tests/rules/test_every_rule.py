"""Every rule over every engine: none raises, no time counts twice, and each has a page of its own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.engines import READABLE
from tests.factories import engine, layer, t, times
from tests.simulated_examples import SIMULATED
from tests.synthetic import Case
from trex.core.configuration import LintSettings
from trex.perf.known_devices import find_device
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.report_card import report_card
from trex.rules.documentation import HEADINGS, rule_sections
from trex.rules.finding import Finding, Severity, Unchecked
from trex.rules.lint import lint
from trex.rules.lint_result import LintResult
from trex.rules.rule import RULES, Rule

CLOSE = 1e-9


def linted(plan: EnginePlan, baseline: EnginePlan | None = None) -> LintResult:
    """What must hold of the result of any plan."""
    result = lint(Performance(plan), baseline=None if baseline is None else Performance(baseline))
    assert result.failed == ()
    times_of = {layer.index: ms for layer, ms in zip(plan.working_layers, plan.layer_ms) if ms is not None}
    layers_ms = sum(ms for ms in times_of.values() if ms > 0)
    compute = result.performance.reconciliation.measures.compute.ms
    assert result.total_ms == (pytest.approx(compute or layers_ms) if layers_ms else None)
    assert result.total_kind == ("GPU compute" if compute and layers_ms else "layer time")
    total = min(layers_ms, compute or layers_ms)
    known = {layer.index for layer in plan.working_layers}
    for finding in result.findings:
        for index, ms in finding.savings.items():
            assert 0 <= ms <= times_of.get(index, 0.0) * (1 + CLOSE), (finding.code, index)
        assert set(finding.layers) <= known and len(finding.layers) == len(finding.layer_names), finding.code
        assert 0 <= finding.confidence <= 1, finding.code
        assert finding.message and finding.fix, finding.code
        assert finding.formula or not finding.savings, finding.code
        assert all(evidence.what for evidence in finding.evidence), finding.code
        assert 0 <= (finding.savings_ms or 0) <= (finding.savings_alone_ms or 0) * (1 + CLOSE), finding.code
        assert (finding.likely_savings_ms or 0) <= (finding.savings_ms or 0), finding.code
        assert (finding.savings_alone_ms or 0) <= total * (1 + CLOSE), finding.code
    for code in {finding.code for finding in result.findings}:
        of_rule = sum(finding.savings_ms or 0 for finding in result.findings if finding.code == code)
        assert of_rule <= total * (1 + CLOSE), code
    order = [(not each.is_first, -max(each.likely_savings_ms or 0, each.about_ms)) for each in result.findings]
    assert order == sorted(order)
    assert (result.savings_ms is None) == (total == 0)
    assert 0 <= (result.savings_ms or 0) <= total * (1 + CLOSE)
    headroom_ms = result.performance.headroom_ms
    assert headroom_ms[headroom_ms > 0].sum() <= (result.total_ms or 0.0) * (1 + CLOSE)
    for unchecked in result.unchecked:
        assert unchecked.reason and unchecked.code and set(unchecked.layers) <= known, unchecked.code
    return result


def opened(case: Case, folder: Path) -> EnginePlan:
    return load_plan(EnginePlan, case.write(folder))


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_generated_engine(case: Case, tmp_path: Path) -> None:
    plan = opened(case, tmp_path)
    linted(plan)
    linted(plan, baseline=plan)


@pytest.mark.parametrize(
    "folder",
    sorted(path for path in SIMULATED.iterdir() if path.is_dir() and path.name[0] != "_"),
    ids=lambda folder: folder.name,
)
def test_every_simulated_engine(folder: Path) -> None:
    linted(load_plan(EnginePlan, folder))


def real_plans(folder: Path) -> list[EnginePlan]:
    return [load_plan(EnginePlan, path) for path in sorted(folder.iterdir()) if path.is_dir()]


def test_every_real_engine(shared_engines: Path) -> None:
    plans = real_plans(shared_engines)
    for plan, baseline in zip(plans, [*plans[1:], plans[0]]):
        linted(plan)
        linted(plan, baseline)


def test_every_real_engine_on_another_device(shared_engines: Path) -> None:
    for plan in real_plans(shared_engines):
        for name in ("L4", "T4", "Jetson AGX Orin 64GB", "B200"):
            assert lint(Performance(plan, find_device(name))).failed == ()


ODD = [t("odd", None), t("x", [0]), t("", []), t("y", [3, None]), t("z", [1, 8, 8], "Unknown")]


def shapeless(*layers: Any, ms: float | None = 1.0) -> EnginePlan:
    """A plan whose layers all take ``ms``."""
    plan = EnginePlan(engine(*layers))
    plan.times = times(plan.working_layers, *[ms] * len(plan.working_layers))
    return plan


@pytest.mark.parametrize("ms", [None, 0.0, 1e-9, 3.0, float("inf"), -1.0])
def test_engines_that_make_no_sense(ms: float | None) -> None:
    types = ["Convolution", "Reformat", "MatrixMultiply", "Slice", "Scale", "PointWise", "kgen", "PluginV2", "Myelin",
             "Pooling", "Shuffle", "SoftMax", "Normalization", "TrainStation", "Concatenation", "Invented", "",
             "Quantize", "Dequantize", "fusion", "gemm", "Attention", "Gather", "TopK", "Resize"]  # fmt: skip
    names_only = shapeless(*(layer(f"Conv_{place} + Add", kind) for place, kind in enumerate(types)), ms=ms)
    odd = shapeless(*(layer(f"l{place}", kind, ODD, ODD[::-1]) for place, kind in enumerate(types)), ms=ms)
    cycle = shapeless(
        *(layer(f"l{place}", kind, [f"t{(place - 1) % len(types)}", f"t{(place + 3) % len(types)}"],
                [f"t{place}"]) for place, kind in enumerate(types)),
        ms=ms,
    )  # fmt: skip
    own_reader = shapeless(layer("self", "Reformat", ["a"], ["a"]), layer("again", "Convolution", ["a"], ["a"]), ms=ms)
    for plan in (names_only, odd, cycle, own_reader, shapeless(ms=ms)):
        result = lint(Performance(plan))
        assert result.failed == ()
        assert (result.savings_ms or 0.0) <= (result.total_ms or 0.0) + CLOSE


def test_an_engine_without_layers_has_a_result() -> None:
    found = linted(EnginePlan(engine()))
    assert found.savings_ms is None and not found.findings
    report_card(EnginePlan(engine()))


def test_codes_are_unique_and_of_their_form() -> None:
    assert RULES.broken == ()
    codes = [plug.value.code for plug in RULES.values()]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[A-Z]{2,6}\d{3}", code) for code in codes)


@pytest.mark.parametrize("name", RULES.names)
def test_every_rule_has_its_page(name: str) -> None:
    plug = RULES.load(name)
    rule: Rule = plug.value
    assert plug.summary.endswith(".")
    sections = rule_sections(plug.doc)
    assert tuple(sections) == HEADINGS, f"{plug.file}: the headings are {', '.join(HEADINGS)}, in this order"
    assert all(text.strip() for text in sections.values())
    assert rule.title and not rule.title.endswith(".") and isinstance(rule.severity, Severity)
    assert all(limit.meaning for limit in rule.limits.values())


@pytest.mark.parametrize("name", RULES.names)
def test_every_rule_has_its_test(name: str) -> None:
    assert (Path(__file__).parent / "builtin" / f"test_{name.replace('-', '_')}.py").is_file()


@pytest.mark.parametrize("name", RULES.names)
def test_every_limit_is_read(name: str) -> None:
    """A rule that is given a limit it names; whatever the number, it does not raise."""
    rule: Rule = RULES.load(name).value
    plan = load_plan(EnginePlan, str(SIMULATED / "resnet18-int8"))
    for number in (0.0, 1e9):
        settings = LintSettings(select=(name,), limits={name: dict.fromkeys(rule.limits, number)})
        assert lint(Performance(plan), settings).failed == ()


def test_findings_are_findings() -> None:
    from trex.rules.analyzed_engine import AnalyzedEngine

    seen = AnalyzedEngine(Performance(load_plan(EnginePlan, str(SIMULATED / "transformer-fp16"))))
    for plug in RULES.values():
        limits = {limit: each.default for limit, each in plug.value.limits.items()}
        for found in plug.value.check(seen, limits):
            assert isinstance(found, Finding | Unchecked), plug.name
