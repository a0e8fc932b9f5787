"""Every format of the report over every engine: a file that says what the engine is, whatever is missing in it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from trex.views.report.card import report_card
from trex.views.report.report import Report

from tests.synthetic import CASES, Case
from tests.synthetic.engines import synthetic_engine
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.export.report import FORMATS, format_of, write_report

READABLE = [case for case in CASES.values() if not case.expect.error]
TEXTS = ("json", "markdown", "text")


@pytest.fixture(scope="module")
def example() -> Report:
    return report_card(synthetic_engine("resnet18-int8"))


def test_no_format_is_broken_and_endings_are_unique() -> None:
    assert FORMATS.broken == ()
    suffixes = [suffix for plug in FORMATS.values() for suffix in plug.value.suffixes]
    assert len(set(suffixes)) == len(suffixes)


def test_the_ending_chooses_the_format(example: Report, tmp_path: Path) -> None:
    assert format_of("x.tar.MD").name == "markdown"
    with pytest.raises(TrexError, match="no kind of report"):
        write_report(example, tmp_path / "report.xyz")


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_text_formats_take_every_engine(case: Case, tmp_path: Path) -> None:
    missing = [package for package in case.needs if importlib.util.find_spec(package) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    report = report_card(load(case.write(tmp_path)))
    for name in TEXTS:
        path = write_report(report, tmp_path / f"written-{name}", format=name)
        text = path.read_text(encoding="utf-8")
        assert name == "json" or ("\x1b" not in text and "<script" not in text and str(tmp_path) not in text)
        if name == "json":
            assert json.loads(text)["schema"] == "trex.report/1"


def test_a_page_tells_the_files_of_caveats_without_their_folder(tmp_path: Path) -> None:
    report = report_card(load(CASES["not-utf-8"].write(tmp_path)))
    (told,) = {note.where for note in report.summary.caveats if note.where.startswith(str(tmp_path))}
    page = write_report(report, tmp_path / "report.html").read_text(encoding="utf-8")
    assert str(tmp_path) not in page
    assert f'<span class="where">{told.removeprefix(str(tmp_path)).lstrip("/")}</span>' in page


def test_json_holds_the_numbers_behind_every_chart(example: Report, tmp_path: Path) -> None:
    found = json.loads(write_report(example, tmp_path / "r.json").read_text(encoding="utf-8"))
    items = {item["name"]: item for part in found["parts"].values() for item in part["items"]}
    bars = items["latency-per-layer-ms"]
    assert bars["shown"] == "bars" and len(bars["values"]) == len(example.subject.frame)
    assert bars["value_axis"] == {"title": "average time", "unit": "ms", "log": False}
    assert len(items["layers"]["rows"]) == len(example.subject.frame)


def test_synthetic_data_say_so_in_every_text(example: Report, tmp_path: Path) -> None:
    for name in TEXTS:
        text = write_report(example, tmp_path / name, format=name).read_text(encoding="utf-8")
        assert "synthetic" in text[:2000], name


def test_tables_hold_every_layer(example: Report, tmp_path: Path) -> None:
    import pandas as pd

    table = pd.read_csv(write_report(example, tmp_path / "layers.csv"))
    assert table["Name"].tolist() == example.subject.frame["Name"].tolist()
    pytest.importorskip("pyarrow", reason="pyarrow is absent: pip install pyarrow")
    typed = pd.read_parquet(write_report(example, tmp_path / "layers.parquet"))
    assert typed["latency.avg_time"].tolist() == example.subject.frame["latency.avg_time"].tolist()
