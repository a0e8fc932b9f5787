"""Every format of the report over engines that lack what one expects: it is written, and says what is missing."""

from __future__ import annotations

import io
import json
import signal
from pathlib import Path
from typing import Any

import pytest
from trex.views.report.card import report_card
from trex.views.report.report import Report

from trex.engine_plan import EnginePlan, load, load_example
from trex.export.report import FORMATS, write_report
from trex.plan.engine_plan import EnginePlan as Plan
from trex.views.plot import Empty
from trex.views.redaction import redacted

SHAPES = {"whole": [1, 3, 8, 8], "dynamic": [-1, 3, -1, -1]}


def tensor(name: str, shape: str = "whole", kind: str = "Row major linear FP16 format") -> dict[str, Any]:
    return {"Name": name, "Dimensions": SHAPES[shape], "Format/Datatype": kind}


def engine(layers: int = 3, shape: str = "whole", type_: str = "Convolution", kind: str = "") -> dict[str, Any]:
    """A chain; ``kind``: the format that its tensors are said to have."""
    names = [f"t{place}" for place in range(layers + 1)]
    tensors = [tensor(name, shape, kind) if kind else tensor(name, shape) for name in names]
    rows = [
        {"Name": f"layer {place}", "LayerType": type_, "Inputs": [tensors[place]], "Outputs": [tensors[place + 1]]}
        for place in range(layers)
    ]
    return {"Layers": rows, "Bindings": [names[0], names[-1]]}


def profile(*times: float) -> list[dict[str, Any]]:
    rows = [{"name": f"layer {place}", "timeMs": 10 * ms, "averageMs": ms, "medianMs": ms, "percentage": 0.0}
            for place, ms in enumerate(times)]  # fmt: skip
    return [{"count": 10}, *rows]


# What is missing → the graph, and the profile where there is one.
MISSING: dict[str, tuple[dict[str, Any], list[dict[str, Any]] | None]] = {
    "profile": (engine(), None),
    "part of the profile": (engine(), profile(0.5, 0.25)),
    "time": (engine(), profile(0.0, 0.0, 0.0)),
    "all but one layer": (engine(1), profile(0.5)),
    "shapes": (engine(shape="dynamic"), profile(0.5, 0.25, 0.25)),
    "known types": (engine(type_="Quux", kind="Wondrous FP7 format"), profile(0.5, 0.25, 0.25)),
    "tensors": ({"Layers": ["layer 0", "layer 1"], "Bindings": []}, profile(0.5, 0.25)),
}


@pytest.fixture(params=MISSING)
def plan(request: pytest.FixtureRequest, tmp_path: Path) -> Plan:
    graph, times = MISSING[request.param]
    (tmp_path / "x.graph.json").write_text(json.dumps(graph), encoding="utf-8")
    if times is not None:
        (tmp_path / "x.profile.json").write_text(json.dumps(times), encoding="utf-8")
    return load(tmp_path / "x.graph.json")


@pytest.mark.parametrize("name", FORMATS.known_names)
def test_every_format_is_written(name: str, plan: Plan, tmp_path: Path) -> None:
    for package in {"html": ("plotly",), "xlsx": ("xlsxwriter", "openpyxl"), "parquet": ("pyarrow",)}.get(name, ()):
        pytest.importorskip(package)
    for each in (plan, redacted(plan)):  # neither metadata nor a device is known of any
        content = write_report(report_card(each), tmp_path / "written", format=name).read_bytes()
        check(name, content, report_card(each))


def check(name: str, content: bytes, report: Report) -> None:
    if name == "xlsx":
        import openpyxl

        assert "Summary" in openpyxl.load_workbook(io.BytesIO(content)).sheetnames
        return
    if name == "parquet":
        import pandas as pd

        assert len(pd.read_parquet(io.BytesIO(content))) == len(report.subject.frame)
        return
    text = content.decode("utf-8")
    assert "Traceback" not in text
    if name in ("json", "trace", "speedscope"):
        json.loads(text, parse_constant=pytest.fail)
    if name in ("json", "html", "markdown"):
        for _, item in report.items():
            shown = item.make()
            if isinstance(shown, Empty):
                # xml_text and Markdown escape different characters: the words before any are enough.
                assert shown.reason.split("(")[0].split("'")[0][:30] in text, item.name


def test_without_a_profile_it_says_what_writes_one(tmp_path: Path) -> None:
    (tmp_path / "x.graph.json").write_text(json.dumps(engine()), encoding="utf-8")
    report = report_card(EnginePlan(str(tmp_path / "x.graph.json")))
    found = {item.name: item.make() for _, item in report.items()}
    for name in ("latency-per-layer-ms", "latency-treemap", "headroom-ranking"):
        shown = found[name]
        assert isinstance(shown, Empty) and "profile" in f"{shown.reason} {shown.hint}", name


def test_ctrl_c_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trex.cli.main import main
    from trex.core import whole_file

    path = tmp_path / "report.html"
    path.write_text("the old one", encoding="utf-8")
    monkeypatch.setattr(whole_file.os, "fdopen", interrupted(whole_file.os.fdopen))
    assert main(["report", "example:resnet18-int8", "-o", str(path)]) == 128 + signal.SIGINT
    assert path.read_text(encoding="utf-8") == "the old one"
    assert list(tmp_path.iterdir()) == [path]


def interrupted(opened: Any) -> Any:
    """Files that take half of what they are given before someone presses Ctrl-C."""

    def open_file(*arguments: Any, **options: Any) -> Any:
        file = opened(*arguments, **options)
        write = file.write

        class Half:
            def __enter__(self) -> Any:
                return self

            def __exit__(self, *reasons: Any) -> None:
                file.close()

            def write(self, content: bytes) -> None:
                write(content[: len(content) // 2])
                raise KeyboardInterrupt

        return Half()

    return open_file


def test_long_work_says_that_it_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from contextlib import contextmanager

    from trex.cli import console
    from trex.cli.main import main

    told: list[str] = []

    @contextmanager
    def patience(what: str):
        told.append(what)
        yield
        told.append("done")

    monkeypatch.setattr(console, "patience", patience)
    assert main(["report", "example:resnet18-int8", "-o", str(tmp_path / "x.md")]) == 0
    assert told[-2:] == ["writing the report", "done"]


def test_the_example_is_whole() -> None:
    """What the others lack: nothing but what synthetic data cannot have is empty in an example's report."""
    report = report_card(load_example("resnet18-int8"))
    empty = [item.name for _, item in report.items() if isinstance(item.make(), Empty)]
    assert len(empty) <= 3, empty
