"""The profile of a run and the table in its log are equal to the last decimal."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from trex.core.metadata import Metadata
from trex.core.timings import LayerTime, LayerTimes
from trex.engine_plan import load
from trex.ingest.differing_times import TWO_RUNS, differing_times
from trex.ingest.logs.log_run import LogRun
from trex.ingest.logs.trtexec_log import read_log

TIMES = {"a": 4.19536, "b": 1.12345, "c": 0.25123, "d": 0.00672}
STAMP = "[01/02/2026-03:04:05] [I]"


def record(name: str, ms: float, occurrence: int = 0) -> LayerTime:
    return LayerTime(name, occurrence, round(11 * ms, 5), ms, ms, None)


def profile(times: dict[str, float], source: str = "out/p.json") -> LayerTimes:
    zeros = [record("no op", 0.0), record("a", 0.0)]
    return LayerTimes((*zeros, *(record(name, ms, int(name == "a")) for name, ms in times.items())), 11, source)


def run(exported: str | None = "./p.json", *, has_table: bool = True, count: int = 11, command: str = "") -> LogRun:
    """Of a log as trtexec writes it. exported: None for a log without its head. command: in its closing banner."""
    lines = ["=== Model Options ===", "", "=== Reporting Options ===", f"Export profile to JSON file: {exported}", ""]
    if exported is None:
        lines = []
    if has_table:
        lines += [f"=== Profile ({count} iterations ) ===", "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer"]
        lines += [f"{11 * ms:11.2f} {ms:12.4f} {ms:12.4f} {ms:9.1f}   {name}" for name, ms in TIMES.items()]
        lines += ["1.0 1.0 1.0 1.0 Total", ""]
    text = "".join(f"{STAMP} {line}\n" for line in lines)
    if command:
        text += f"&&&& PASSED TensorRT.trtexec [TensorRT v100400] # trtexec {command}\n"
    (result,) = read_log(text.encode(), "run.log").runs
    return result


def severities(times: LayerTimes, *runs: LogRun) -> list[str]:
    notes = list(differing_times(times, runs))
    assert {note.code for note in notes} <= {TWO_RUNS}
    return [note.severity for note in notes]


@pytest.mark.parametrize(
    ("times", "severity"),
    [
        ({}, []),
        ({name: ms * 1.00001 for name, ms in TIMES.items()}, []),
        ({name: round(ms, 3) for name, ms in TIMES.items()}, []),
        ({"d": 0.0068}, []),
        ({name: ms * 10 for name, ms in TIMES.items()}, ["problem"]),
        ({name: ms * 2 for name, ms in TIMES.items()}, ["problem"]),
        ({name: ms * 1.2 for name, ms in TIMES.items()}, ["warning"]),
        ({name: ms * 0.1 for name, ms in TIMES.items()}, ["problem"]),
        ({"a": TIMES["b"], "b": TIMES["a"]}, ["problem"]),
        ({"c": TIMES["d"], "d": TIMES["c"]}, ["warning"]),
        ({"a": 4.25}, ["warning"]),
    ],
    ids=["same", "6 digits", "3 decimals", "last", "x10", "x2", "x1.2", "x0.1", "large", "small", "one"],
)
def test_a_profile_and_the_table_of_its_run(times: dict[str, float], severity: list[str]) -> None:
    assert severities(profile(TIMES | times), run()) == severity


def test_only_the_table_of_the_run_that_exported_the_profile_counts() -> None:
    other = profile({name: 10 * ms for name, ms in TIMES.items()})
    assert severities(other, run(has_table=False), run()) == []
    assert severities(other, run("renamed.json")) == ["problem"]
    assert severities(other, run("b.json"), run("c.json")) == []
    assert severities(other, run("b.json", has_table=False), run(r"C:\out\p.json")) == ["problem"]
    assert severities(other, replace(run(), layer_times=None)) == severities(other, LogRun(Metadata())) == []
    assert severities(replace(other, marks=("simulated",)), run()) == []


BANNER = "--dumpProfile --exportProfile="


@pytest.mark.parametrize(
    ("factor", "log", "severity"),
    [
        (10.0, run(None), ["problem"]),
        (0.1, run(None), ["problem"]),
        (10.0, run(None, count=107), ["warning"]),
        (10.0, run(""), ["warning"]),
        (10.0, run("", count=107), ["warning"]),
        (10.0, run(None, command="--dumpProfile"), ["warning"]),
        (10.0, run(None, command=f"{BANNER}out/p.json"), ["problem"]),
        (1.2, run(None, command=f"{BANNER}p.json", count=107), ["warning"]),
        (10.0, run("", has_table=False), []),
        *(
            (factor, run(exported, count=count), [])
            for factor in (1.0, 0.7, 1.4)
            for exported in (None, "")
            for count in (11, 107)
        ),
    ],
)
def test_a_table_that_may_be_of_another_run(factor: float, log: LogRun, severity: list[str]) -> None:
    times = {name: factor * ms for name, ms in TIMES.items()}
    assert severities(profile(times), log) == severity


def test_one_table_with_the_times_of_the_profile_is_enough() -> None:
    slow = profile({name: 10 * ms for name, ms in TIMES.items()})
    assert severities(slow, run(None), run("")) == ["problem"]
    table = replace(slow, source="run.log")
    assert severities(slow, run(None), replace(run(""), layer_times=table)) == []
    assert severities(profile(TIMES | {"d": 10 * TIMES["d"], "c": 0.2}), run(None), run("")) == []  # a short layer


def test_other_names_prove_nothing() -> None:
    assert severities(profile({f"{name} renamed": 9 * ms for name, ms in TIMES.items()}), run()) == []
    twice = profile(TIMES | {"a": 7.0})
    assert severities(replace(twice, records=(*twice.records, record("a", 1.0, 2))), run()) == []
    assert severities(LayerTimes((), 11, "p.json"), run()) == []


@pytest.mark.parametrize(
    ("change", "severity"),
    [(lambda ms: ms, []), (lambda ms: ms * 10, ["problem"]), (lambda ms: ms * 1.2, ["warning"])],
)
def test_a_real_profile_beside_its_log(
    change: Callable[[float], float], severity: list[str], shared_engines: Path, tmp_path: Path
) -> None:
    for file in (shared_engines / "trt8.5-yolo-int8-names-only").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    file = tmp_path / "profile.json"
    head, *rows = json.loads(file.read_text("utf-8"))
    fields = ("timeMs", "averageMs", "medianMs")
    changed = [{key: change(value) if key in fields else value for key, value in row.items()} for row in rows]
    file.write_text(json.dumps([head, *changed]), "utf-8")
    assert [note.severity for note in load(str(tmp_path)).notes if note.code == TWO_RUNS] == severity
