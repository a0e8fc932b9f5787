"""``trex.lint_engine``: a lint result in Python, with a table."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import trex
from tests.simulated_examples import load_simulated
from trex.views.findings_frame import COLUMNS


@pytest.fixture(scope="module")
def plan() -> trex.EnginePlan:
    return load_simulated("resnet18-int8")


def test_findings_are_a_table(plan: trex.EnginePlan) -> None:
    result = trex.lint_engine(plan)
    assert tuple(result.df.columns) == COLUMNS and len(result.df) == len(result.findings)
    assert result.df["savings_ms"].sum() == pytest.approx(result.savings_ms)
    assert result.df["savings_ms"].sum() <= result.total_ms <= plan.total_runtime
    median_ms = plan.metadata.latency["GPU Compute Time"].median_ms
    assert result.total_kind == "GPU compute" and result.total_ms == pytest.approx(median_ms, rel=1e-5)
    assert result.df is result.df
    assert "likely savings" in str(result) and '<ol class="findings">' in result._repr_html_()


def test_rules_are_chosen_by_code_name_and_glob(plan: trex.EnginePlan) -> None:
    assert trex.lint_engine(plan, select="INFO001").rules == {"names-only": "INFO001"}
    assert trex.lint_engine(plan, select=["names-*"]).rules == {"names-only": "INFO001"}
    assert "names-only" not in trex.lint_engine(plan, ignore=["INFO*"]).rules
    with pytest.raises(trex.TrexError, match="no rule is called 'INF001'"):
        trex.lint_engine(plan, select="INF001")


def test_suppressed_findings_are_apart(plan: trex.EnginePlan) -> None:
    every = trex.lint_engine(plan)
    code = every.findings[0].code
    result = trex.lint_engine(plan, suppressions=[trex.Suppression(code, "known")])
    assert code not in {finding.code for finding in result.findings}
    assert {finding.code for finding in result.suppressed} == {code} and result.suppressed[0].suppressed == "known"
    assert len(result.findings) + len(result.suppressed) == len(every.findings)


def test_settings_are_read_where_they_are_named(plan: trex.EnginePlan, tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "trex.toml"
    file.write_text('[lint]\nselect = ["INFO001"]\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert len(trex.lint_engine(plan).rules) > 1
    assert trex.lint_engine(plan, config=file).rules == {"names-only": "INFO001"}


def test_findings_of_the_baseline_are_suppressed(plan: trex.EnginePlan) -> None:
    every = trex.lint_engine(plan)
    known = trex.lint_engine(plan, baseline=plan)
    assert known.findings == () and len(known.suppressed) == len(every.findings) > 0
    new = trex.lint_engine(plan, baseline=load_simulated("resnet18-int8-residual"))
    assert 0 < len(new.findings) < len(every.findings)


def test_a_device_by_name(plan: trex.EnginePlan) -> None:
    result = trex.lint_engine(plan, "L4")
    assert result.performance.device is not None and result.performance.device.name == "NVIDIA L4"
    with pytest.raises(trex.TrexError):
        trex.lint_engine(plan, "L44444")


def test_names_only_has_no_savings() -> None:
    plan = trex.EnginePlan.from_string('{"Layers": ["conv1", "relu1"], "Bindings": []}')
    result = trex.lint_engine(plan, select="INFO001")
    (row,) = result.df.to_dict(orient="records")
    assert math.isnan(row["savings_ms"]) and "--profilingVerbosity=detailed" in row["fix"][0]
    assert result.findings[0].is_first
