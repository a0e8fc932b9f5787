"""The report's part about the build: in every format with a verbose log, in none without; read when it is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trex.builder import engine_build
from trex.engine_plan import EnginePlan, load
from trex.examples.verbose_log import verbose_log
from trex.export.document import render_document
from trex.views.chart import Subject
from trex.views.document import Document
from trex.views.plot import Bars, Points
from trex.views.report.build_blocks import candidate_details
from trex.views.report.document import report_document
from trex.views.summary import summary_document


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> EnginePlan:
    path = tmp_path_factory.mktemp("build") / "build.log"
    lines = (line.replace("conv3 + relu3", "</script><b>x") for line in verbose_log(layers=8, tactics=10))
    path.write_text("".join(lines), "utf-8")
    return load(str(path))


@pytest.fixture(scope="module")
def report(plan: EnginePlan) -> Document:
    return report_document(plan)


def test_statements_charts_and_choices(report: Document) -> None:
    section = report.section("build")
    assert section.statements[0].startswith("Built in ") and "near" not in section.title
    phases, layers, margins = (block.make() for block in section.plots)
    assert isinstance(phases, Bars) and phases.names[-2:] == ["Timing tactics", "other work of engine generation"]
    assert sum(phases.values[1:2]) == pytest.approx(sum(phases.values[2:3]), rel=1e-3)
    assert isinstance(layers, Bars) and "all reformats" in layers.names and -1 in layers.layers
    assert isinstance(margins, Points) and sum(margin <= 2 for margin in margins.y) == 2


def test_programs_get_every_choice(report: Document) -> None:
    rows = json.loads(render_document(report, "json"))["sections"]["build"]["tables"]["choices"]["rows"]
    assert len(rows) == 24 and all(row["time_ms"] <= row["runner_up_ms"] for row in rows)
    assert "candidates" not in json.loads(render_document(report, "json"))["sections"]["build"]["tables"]
    assert "Build time by layer" in render_document(report, "markdown").decode()


def test_a_page_has_the_candidates_of_every_layer(report: Document, plan: EnginePlan) -> None:
    pytest.importorskip("plotly", reason="plotly is absent: pip install plotly")
    page = render_document(report, "html").decode()
    assert 'id="data-details"' in page and 'data-list="data-list-choices"' in page and "<b>x" not in page
    subject = Subject.of_plan(plan)
    assert subject.build is not None
    details = candidate_details(subject.build)
    layers = [row[0] for row in details.groups.rows]
    assert layers == sorted(layers) and set(layers) == {layer.index for layer in plan.working_layers}
    assert [row[2] for row in details.groups.rows[:3]] == ["yes", "", ""], "what the engine uses comes first"
    assert {row[0] for row in details.rows.rows} == set(range(24))


def test_only_the_report_reads_the_log_again(plan: EnginePlan, monkeypatch: Any) -> None:
    def refuse(path: str) -> None:
        raise AssertionError(f"{path} is read")

    monkeypatch.setattr(engine_build, "read_build_log", refuse)
    assert plan.files is not None
    summary_document(load(plan.files.build_log))
    with pytest.raises(AssertionError, match="is read"):
        report_document(plan)


def test_without_a_verbose_log_there_is_no_such_part(tmp_path: Path) -> None:
    path = tmp_path / "quiet.log"
    path.write_text("".join(line for line in verbose_log() if "[V]" not in line or "Layer" in line), "utf-8")
    for plan in (load("example:resnet18-fp16"), load(str(path))):
        assert not report_document(plan).section("build").blocks
