"""Tactics agree with what one counts in the log by other means."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.build_log_text import EARLY, MODERN
from trex.builder.tactics import OPERATION, Tactics
from trex.core.build_log import LAYER, REFORMAT
from trex.ingest.build_log.build_log import parse_build_log, read_build_log

LOGS = (
    "trt8.4-mnist-fp16-build-verbose.log",
    "trt8.4-sparsity-python-verbose.log",
    "trt8.6-build-verbose.log",
    "trt10.16-trtexec-02.log",
    "trtrtx1.7.1-resnet18-fp32-cpu-build-verbose.log",
)


def tactics(text: str) -> Tactics:
    return Tactics(parse_build_log(text.encode(), "x.log"))


def test_choices_and_ties() -> None:
    chosen = tactics(MODERN)
    layer, operation, region = chosen.choices.to_dict("records")
    assert (layer["layer"], layer["tactic"], layer["runner_up"]) == (
        "Conv_0 + Relu_1",
        "0x00000000000000aa",
        "0xffffffffffffffff",
    )
    assert layer["margin_pct"] == pytest.approx(1.0) and layer["tried"] == 2 and layer["reads"] == "FP32"
    assert math.isnan(region["margin_pct"]) and pd.isna(region["runner_up"])
    # Myelin selected the slower one: its runner-up is the fastest, and the margin is negative.
    assert operation["kind"] == OPERATION and operation["runner_up_ms"] == 0.013 and operation["margin_pct"] < 0
    assert not len(chosen.ties())  # strategy 4's engine was not kept
    assert list(tactics(MODERN.replace("Chose this engine", "Skip this engine")).ties()["layer"]) == [
        "Conv_0 + Relu_1",
        "{ForeignNode[m]}",
    ]


def test_frames_have_their_columns_without_rows() -> None:
    empty = tactics("[I] [TRT] Engine generation completed in 1.5 seconds.\n")
    for name in ("df", "choices", "by_precision", "skipped", "fusions", "build_time", "caches", "passes", "phases"):
        frame = getattr(empty, name)
        assert len(frame.columns) and frame.columns[0] == "build", name
    assert not len(empty.ties()) and not len(empty.story("Conv_0"))


def test_story_of_a_node() -> None:
    story = tactics(MODERN).story("Conv_0")
    assert [(row.kind, row.other) for row in story.itertuples()] == [("fused", "Relu_1")]
    assert not len(tactics(MODERN).story("Conv"))


def test_build_time_of_logs_without_durations_is_from_clocks() -> None:
    lines = EARLY.splitlines(keepends=True)
    text = "".join(f"[01/02/2026-03:04:{second:02}] {line}" for second, line in enumerate(lines))
    spent = tactics(text).build_time
    assert list(spent["seconds_from"]) == ["clocks"] and list(spent["layer"]) == ["conv"]


def test_layers_of_builds_are_no_product(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before pandas 3, pivoting makes all pairs of categories unless it is asked for those that occur."""
    asked = []
    pivot_table = pd.DataFrame.pivot_table

    def recorded(frame: pd.DataFrame, **named: Any) -> pd.DataFrame:
        asked.append(named)
        return pivot_table(frame, **named)

    monkeypatch.setattr(pd.DataFrame, "pivot_table", recorded)
    best = tactics(EARLY).by_precision
    assert best.to_dict("records") == [{"build": 0, "layer": "conv", "FP32_ms": 0.5}]
    assert [named["observed"] for named in asked] == [True]


@pytest.mark.parametrize("name", LOGS)
def test_ties_margins_and_best_times_of_real_logs(shared_logs, name) -> None:
    """The same by a walk through the lines that knows only Autotuning, Timing Runner, Tactic and Chose."""
    log = Tactics(read_build_log(shared_logs / name))
    groups = _groups(shared_logs / name)
    native = log.df[log.df["kind"] == LAYER]
    assert len(native) == sum(map(len, groups.values()))
    assert native["time_ms"].sum() == pytest.approx(sum(ms for times in groups.values() for ms in times))
    close = sum(len(times) > 1 and sorted(times)[1] <= 1.02 * min(times) for times in groups.values())
    choices = log.choices
    choices = choices[choices["kind"] == LAYER]
    chosen = {key: times for key, times in groups.items() if key[0] in set(choices["strategy_pass"])}
    assert sum(choices["margin_pct"] <= 2.0) == close
    assert set(choices["time_ms"]) <= {min(times) for times in chosen.values()}
    best: dict[tuple[int, str, str], float] = defaultdict(lambda: math.inf)
    for (step, layer, formats), times in groups.items():
        if log.log.passes[step].is_chosen:
            type_ = {"Float": "FP32", "Half": "FP16", "Int8": "INT8", "Int32": "INT32"}[formats.partition("(")[0]]
            key = (log.log.passes[step].build, layer, type_)
            best[key] = min(best[key], *times)
    frame = log.by_precision
    found = {
        (row["build"], row["layer"], column.removesuffix("_ms")): row[column]
        for row in frame.to_dict("records")
        for column in frame.columns[2:]
        if not math.isnan(row[column])
    }
    assert found == dict(best)


def _groups(file: Path) -> dict[tuple[int, str, str], list[float]]:
    """{(pass, layer, formats): times} of layers."""
    groups: dict[tuple[int, str, str], list[float]] = defaultdict(list)
    steps, originals, formats, layer = 0, 0, "", ""
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        steps += "Building graph using backend strategy" in line and "10.16" in file.name
        originals += " Original: " in line
        if combination := re.search(r"Autotuning format combination: (.*?) \*+$", line):
            formats = combination[1]
        elif "Autotuning Reformat" in line or "Computing reformatting" in line:
            formats = ""
        elif runner := re.search(r"Timing Runner: (.*) \(\w+(?:\[\w+\])?\)$", line):
            layer = runner[1]
        elif formats and (time := re.search(r"\] Tactic(?: Name: .* Tactic)?: \S+ Time: ([\d.e-]+)$", line)):
            step = steps - 1 if steps else max(originals - 1, 0)
            groups[step, layer, formats].append(float(time[1]))
    return groups


@pytest.mark.parametrize("name", LOGS)
def test_build_time_adds_up(shared_logs, name) -> None:
    log = Tactics(read_build_log(shared_logs / name))
    printed = sum(
        float(seconds)
        for seconds in re.findall(rb"profiling completed in ([\d.e-]+) seconds", (shared_logs / name).read_bytes())
    )
    spent = log.build_time
    if printed:
        assert spent["seconds"].sum() == pytest.approx(printed) and set(spent["seconds_from"]) == {"printed"}
        assert spent["share_pct"].sum() == pytest.approx(100.0)
    assert spent["timings"].sum() == len(log.df) - sum(log.df["kind"] == OPERATION)
    assert set(spent["kind"]) <= {LAYER, REFORMAT}
