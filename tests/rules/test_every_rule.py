"""Every rule over every engine: none raises, no time counts twice, and each has a page of its own."""

from __future__ import annotations

import importlib.util
import math
import re
from pathlib import Path
from typing import Any

import pytest

from tests.factories import engine, layer, t, times
from tests.synthetic import CASES, Case
from trex.perf.known_devices import find_device
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.rules.finding import CannotTell, Finding, Severity
from trex.rules.review import Choice, Review, review
from trex.rules.rule import RULES, Rule
from trex.views.report.document import report_document
from trex.views.rule_page import HEADINGS, rule_sections

READABLE = [case for case in CASES.values() if not case.expect.error]
CLOSE = 1e-9


def reviewed(plan: EnginePlan, baseline: EnginePlan | None = None) -> Review:
    """What must hold of any review of any plan."""
    found = review(Performance(plan), baseline=baseline)
    assert found.failed == ()
    times_of = {
        layer.index: time.average_ms
        for layer, time in zip(plan.layers, plan.times)
        if time is not None and time.average_ms is not None and math.isfinite(time.average_ms)
    }
    total = sum(ms for ms in times_of.values() if ms > 0)
    known = {layer.index for layer in plan.layers}
    for each in found.findings:
        finding = each.finding
        for index, ms in finding.at_stake.items():
            assert 0 < ms <= times_of.get(index, 0.0) * (1 + CLOSE), (each.code, index)
        assert set(finding.layers) <= known, each.code
        assert 0 <= finding.confidence <= 1, each.code
        assert finding.message and finding.advice, each.code
        assert finding.formula or not finding.at_stake, each.code
        assert all(evidence.what for evidence in finding.evidence), each.code
        assert 0 <= each.counted_ms <= finding.at_stake_ms * (1 + CLOSE), each.code
    assert 0 <= found.at_stake_ms <= total * (1 + CLOSE)
    assert sum(each.counted_ms for each in found.findings) == pytest.approx(found.at_stake_ms)
    for unanswered in found.unanswered:
        assert unanswered.answer.reason and set(unanswered.answer.layers) <= known, unanswered.code
    return found


def opened(case: Case, folder: Path) -> EnginePlan:
    missing = [package for package in case.needs if importlib.util.find_spec(package) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    return load_plan(EnginePlan, case.write(folder))


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_generated_engine(case: Case, tmp_path: Path) -> None:
    plan = opened(case, tmp_path)
    reviewed(plan)
    reviewed(plan, baseline=plan)


def real_plans(folder: Path) -> list[EnginePlan]:
    return [load_plan(EnginePlan, path) for path in sorted(folder.iterdir()) if path.is_dir()]


def test_every_real_engine(shared_engines: Path) -> None:
    plans = real_plans(shared_engines)
    for plan, baseline in zip(plans, [*plans[1:], plans[0]]):
        reviewed(plan)
        reviewed(plan, baseline)


def test_every_real_engine_on_another_device(shared_engines: Path) -> None:
    for plan in real_plans(shared_engines):
        for name in ("L4", "T4", "Jetson AGX Orin 64GB", "B200"):
            assert review(Performance(plan, find_device(name))).failed == ()


ODD = [t("odd", None), t("x", [0]), t("", []), t("y", [3, None]), t("z", [1, 8, 8], "Unknown")]


def shapeless(*layers: Any, ms: float | None = 1.0) -> EnginePlan:
    """A plan whose layers all take ``ms``."""
    plan = EnginePlan(engine(*layers))
    plan.times = times(plan.layers, *[ms] * len(plan.layers))
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
        found = review(Performance(plan))
        assert found.failed == ()
        assert found.at_stake_ms <= (max(found.total_ms, 0.0) if found.total_ms == found.total_ms else 0.0) + CLOSE


def test_an_engine_without_layers_has_a_review() -> None:
    found = reviewed(EnginePlan(engine()))
    assert found.at_stake_ms == 0 and not found.findings
    report_document(EnginePlan(engine()))


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
    assert (Path(__file__).parent / "all" / f"test_{name.replace('-', '_')}.py").is_file()


@pytest.mark.parametrize("name", RULES.names)
def test_every_limit_is_read(name: str) -> None:
    """A rule that is given a limit it names; whatever the number, it does not raise."""
    rule: Rule = RULES.load(name).value
    plan = load_plan(EnginePlan, "example:resnet18-int8")
    for number in (0.0, 1e9):
        choice = Choice(select=(name,), limits={name: dict.fromkeys(rule.limits, number)})
        assert review(Performance(plan), choice).failed == ()


def test_findings_are_findings() -> None:
    from trex.rules.inspected import Inspected

    seen = Inspected(Performance(load_plan(EnginePlan, "example:transformer-fp16")))
    for plug in RULES.values():
        limits = {limit: each.default for limit, each in plug.value.limits.items()}
        for found in plug.value.check(seen, limits):
            assert isinstance(found, Finding | CannotTell), plug.name
