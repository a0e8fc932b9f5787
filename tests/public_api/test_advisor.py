"""``trex.check``: a review in Python, with a table."""

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
    found = trex.check(plan)
    assert tuple(found.df.columns) == COLUMNS and len(found.df) == len(found.findings)
    assert found.df["counted_ms"].sum() == pytest.approx(found.at_stake_ms)
    assert found.at_stake_ms <= found.total_ms == pytest.approx(plan.total_runtime)
    assert found.df is found.df
    assert "At stake" in str(found) and "<table>" in found._repr_html_()


def test_rules_are_chosen_by_code_name_and_glob(plan: trex.EnginePlan) -> None:
    assert trex.check(plan, select="INFO001").rules == ("names-only",)
    assert trex.check(plan, select=["names-*"]).rules == ("names-only",)
    assert "names-only" not in trex.check(plan, ignore=["INFO*"]).rules
    with pytest.raises(trex.TrexError, match="no rule is called 'INF001'"):
        trex.check(plan, select="INF001")


def test_suppressed_findings_are_apart(plan: trex.EnginePlan) -> None:
    every = trex.check(plan)
    code = every.findings[0].code
    found = trex.check(plan, suppressions=[trex.Suppression(code, "known")])
    assert code not in {each.code for each in found.findings}
    assert {each.code for each in found.suppressed} == {code} and found.suppressed[0].suppressed == "known"
    assert len(found.findings) + len(found.suppressed) == len(every.findings)


def test_settings_are_read_where_they_are_named(plan: trex.EnginePlan, tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "trex.toml"
    file.write_text('[lint]\nselect = ["INFO001"]\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert len(trex.check(plan).rules) > 1
    assert trex.check(plan, config=file).rules == ("names-only",)


def test_a_device_by_name_and_a_baseline(plan: trex.EnginePlan) -> None:
    found = trex.check(plan, "L4", baseline=trex.load_example("resnet18-fp16"))
    assert found.performance.device is not None and found.performance.device.name == "NVIDIA L4"
    with pytest.raises(trex.TrexError):
        trex.check(plan, "L44444")


def test_names_only_has_no_price() -> None:
    plan = trex.EnginePlan.from_string('{"Layers": ["conv1", "relu1"], "Bindings": []}')
    found = trex.check(plan, select="INFO001")
    (row,) = found.df.to_dict(orient="records")
    assert math.isnan(row["counted_ms"]) and "--profilingVerbosity=detailed" in row["advice"][0]
    assert found.findings[0].is_first
