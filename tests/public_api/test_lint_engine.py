"""``trex.lint_engine``: a lint result in Python, with a table."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import trex
from trex.views.review.frame import COLUMNS


@pytest.fixture(scope="module")
def plan() -> trex.EnginePlan:
    return trex.load_example("resnet18-int8")


def test_findings_are_a_table(plan: trex.EnginePlan) -> None:
    found = trex.lint_engine(plan)
    assert tuple(found.df.columns) == COLUMNS and len(found.df) == len(found.findings)
    assert found.df["savings_ms"].sum() == pytest.approx(found.savings_ms)
    assert found.df["savings_ms"].sum() <= plan.total_runtime == pytest.approx(found.total_ms)
    assert found.df is found.df
    assert "Estimated savings" in str(found) and "<table>" in found._repr_html_()


def test_rules_are_chosen_by_code_name_and_glob(plan: trex.EnginePlan) -> None:
    assert trex.lint_engine(plan, select="INFO001").rules == {"names-only": "INFO001"}
    assert trex.lint_engine(plan, select=["names-*"]).rules == {"names-only": "INFO001"}
    assert "names-only" not in trex.lint_engine(plan, ignore=["INFO*"]).rules
    with pytest.raises(trex.TrexError, match="no rule is called 'INF001'"):
        trex.lint_engine(plan, select="INF001")


def test_suppressed_findings_are_apart(plan: trex.EnginePlan) -> None:
    every = trex.lint_engine(plan)
    code = every.findings[0].code
    found = trex.lint_engine(plan, suppressions=[trex.Suppression(code, "known")])
    assert code not in {each.code for each in found.findings}
    assert {each.code for each in found.suppressed} == {code} and found.suppressed[0].suppressed == "known"
    assert len(found.findings) + len(found.suppressed) == len(every.findings)


def test_settings_are_read_where_they_are_named(plan: trex.EnginePlan, tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "trex.toml"
    file.write_text('[lint]\nselect = ["INFO001"]\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert len(trex.lint_engine(plan).rules) > 1
    assert trex.lint_engine(plan, config=file).rules == {"names-only": "INFO001"}


def test_a_device_by_name_and_a_baseline(plan: trex.EnginePlan) -> None:
    found = trex.lint_engine(plan, "L4", baseline=trex.load_example("resnet18-fp16"))
    assert found.performance.device is not None and found.performance.device.name == "NVIDIA L4"
    with pytest.raises(trex.TrexError):
        trex.lint_engine(plan, "L44444")


def test_names_only_has_no_savings() -> None:
    plan = trex.EnginePlan.from_string('{"Layers": ["conv1", "relu1"], "Bindings": []}')
    found = trex.lint_engine(plan, select="INFO001")
    (row,) = found.df.to_dict(orient="records")
    assert math.isnan(row["savings_ms"]) and "--profilingVerbosity=detailed" in row["fix"][0]
    assert found.findings[0].is_first
