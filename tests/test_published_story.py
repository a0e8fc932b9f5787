"""ResNet18 on an A100, quantized step by step: what NVIDIA's Q/DQ walk-through tells reads off our report.

Counts and sums are those that the walk-through and the files' own ``averageMs`` give.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from trex.engine_plan import load
from trex.export.document import render_document
from trex.views.report.document import report_document


class Step(NamedTuple):
    """One engine. ms: sum of the layers. reformats, share_pct: how many, and their part of that sum.

    precisions: layers by precision. pooling: precisions of the poolings, the global average last.
    """

    ms: float
    reformats: int
    share_pct: float
    precisions: dict[str, int]
    pooling: list[str]
    fused_pool: int


STORY = {
    "fp32": Step(2.124, 1, 2.12, {"FP32": 24}, ["FP32", "FP32"], 0),
    "fp16": Step(1.017, 2, 8.66, {"FP16": 24, "FP32": 1}, ["FP16", "FP16"], 0),
    "qat": Step(1.096, 12, 25.42, {"INT8": 21, "FP16": 11, "FP32": 3}, ["FP32", "FP16"], 0),
    "qat-residual": Step(0.731, 3, 15.83, {"INT8": 22, "FP32": 3}, ["FP32"], 1),
    "qat-residual-qgap": Step(0.673, 1, 14.16, {"INT8": 22, "FP32": 1}, ["INT8"], 1),
}


def engine(shared_engines: Path, name: str) -> Path:
    return shared_engines / f"trt8.4-resnet18-a100-{name}"


@pytest.mark.parametrize("name", STORY)
def test_the_json_report(name: str, shared_engines: Path) -> None:
    document = report_document(load(engine(shared_engines, name)))
    sections = json.loads(render_document(document, "json"))["sections"]
    plots = {name: plot for section in sections.values() for name, plot in section.get("plots", {}).items()}
    step = STORY[name]
    facts = sections["details"]["facts"]
    assert facts["device"] == "NVIDIA A100 80GB PCIe"
    assert facts["sum_of_layer_times"] == pytest.approx(step.ms, abs=5e-4)
    counts, shares = plots["count-per-type"], plots["latency-per-type-pct"]
    by_type = dict(zip(counts["names"], counts["values"], strict=True))
    assert by_type["Reformat"] == step.reformats
    assert by_type.get("ConvActPool", 0) == step.fused_pool
    assert dict(zip(shares["names"], shares["values"], strict=True))["Reformat"] == pytest.approx(
        step.share_pct, abs=0.01
    )
    layers = plots["precision-rollup"]["pies"][0]
    assert dict(zip(layers["names"], layers["values"], strict=True)) == step.precisions
    rows = sections["layers"]["tables"]["layers"]["rows"]
    assert [row["precision"] for row in rows if row["type"] == "Pooling"] == step.pooling
    assert "GlobalAveragePool" in [row["Name"] for row in rows if row["type"] == "Pooling"][-1]


@pytest.mark.parametrize("name", STORY)
def test_the_page(name: str, shared_engines: Path) -> None:
    pytest.importorskip("plotly")
    page = render_document(report_document(load(engine(shared_engines, name))), "html").decode("utf-8")
    step = STORY[name]
    parts = re.findall(r'flex-grow:([\d.]+)[^>]*data-filter="type=(\w+)"', page)
    assert {name: float(share) for share, name in parts}["Reformat"] == pytest.approx(step.share_pct, abs=0.01)
    assert re.search(rf"<span>Reformat</span>[^/]*</b> <small>[\d.]+ ms, {step.reformats} layers?,", page)
    assert {cells[0]: int(cells[1]) for cells in table(page, "Layers by precision")} == step.precisions
    columns = {column["name"]: values(column) for column in unpacked(page, "table-0")["columns"]}
    pooling = [row for row, kind in enumerate(columns["type"]) if kind == "Pooling"]
    assert [columns["precision"][row] for row in pooling] == step.pooling
    assert sum(columns["latency.avg_time"]) == pytest.approx(step.ms, abs=5e-4)
    bars = unpacked(page, "figures")["precision-per-layer"]["data"]
    assert {trace["name"]: len(trace["y"]) for trace in bars} == step.precisions


def test_quantizing_alone_is_slower_than_fp16_and_residuals_mend_it(shared_engines: Path) -> None:
    ms = {name: load(engine(shared_engines, name)).total_runtime for name in STORY}
    assert ms["qat"] > ms["fp16"] > ms["qat-residual"] > ms["qat-residual-qgap"]


def table(page: str, caption: str) -> list[list[str]]:
    body = page.partition(f"<caption>{caption}</caption>")[2].partition("</table>")[0].partition("<tbody>")[2]
    return [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in body.split("<tr>")[1:]]


def unpacked(page: str, name: str) -> Any:
    packed = re.search(rf'id="data-{name}">([^<]*)<', page)
    assert packed is not None
    return json.loads(gzip.decompress(base64.b64decode(packed[1])))


def values(column: dict[str, Any]) -> list[Any]:
    return column["numbers"] if "numbers" in column else [column["texts"][index] for index in column["indexes"]]
