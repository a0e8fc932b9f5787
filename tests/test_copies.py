"""Times that no gate believes are believed in no copy of the run: store, baseline, archive, redacted engine.

What a copy lacks is the file or the folder that contradicts them, so it has to keep what they said.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.store.small_engines import write_engine
from trex.compare.baseline import baseline_document
from trex.compare.condition import read_condition
from trex.compare.gate import GateStatus, judge
from trex.compare.plan_diff import PlanDiff
from trex.core.timings import QueryTimes
from trex.engine_plan import load
from trex.export.baseline_file import write_baseline
from trex.export.bundle import write_bundle
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.store.run_store import RunStore
from trex.views.redaction import redacted

Damage = Callable[[Path], None]
NAME = "net.engine"


def _failed_by_manifest(folder: Path) -> None:
    stage = {"name": "profile", "exit_code": -11, "stopped_by": ""}
    document = {"schema": "trex.manifest/1", "engines": [{"name": NAME, "stages": [stage]}]}
    (folder / "manifest.json").write_text(json.dumps(document))


def _swap_left(folder: Path) -> None:
    (folder / ".trex.run").mkdir()
    (folder / ".trex.run" / "swap.json").write_text('{"source": "x.new", "installed": [], "removed": [], "inode": 1}')


def _of_log(last_line: str) -> Damage:
    def damage(folder: Path) -> None:
        banner = "TensorRT.trtexec [TensorRT v100700] # trtexec --loadEngine=net.engine --exportTimes=timing.json"
        lines = [f"&&&& RUNNING {banner}", "[11/27/2026-10:00:00] [I] Starting inference", last_line]
        (folder / f"{NAME}.profile.log").write_text("\n".join(lines) + "\n")

    return damage


def _other_unit(folder: Path) -> None:
    file = folder / f"{NAME}.timing.json"
    queries = [{key: 1e3 * ms for key, ms in query.items()} for query in json.loads(file.read_text())]
    file.write_text(json.dumps(queries))


def _of_inputs(shape: str) -> Damage:
    def damage(folder: Path) -> None:
        options = {"inference_options": {"Input inference shape": shape}}
        (folder / f"{NAME}.profile.metadata.json").write_text(json.dumps(options))

    return damage


DAMAGES: dict[str, Damage] = {
    "failed by the manifest": _failed_by_manifest,
    "a swap that is left": _swap_left,
    "failed by the log": _of_log("&&&& FAILED TensorRT.trtexec [TensorRT v100700] # trtexec"),
    "crashed by the log": _of_log("Segmentation fault (core dumped)"),
    "stopped by the log": _of_log("[11/27/2026-10:00:01] [I] Warmup completed 10 queries over 200 ms"),
    "of another unit": _other_unit,
    "of another shape": _of_inputs("t0=4x64x8x8"),
    "of other inputs": _of_inputs("pixels=1x64x8x8"),
}


def _stored(plan: EnginePlan, folder: Path, scratch: Path) -> EnginePlan:
    store = RunStore.open(scratch / "store", create=True)
    run = store.add(folder)
    return store.plan(run.id)


def _baseline(plan: EnginePlan, folder: Path, scratch: Path) -> EnginePlan:
    return load(write_baseline(scratch / "base.json", baseline_document(plan)))


def _packed(plan: EnginePlan, folder: Path, scratch: Path) -> EnginePlan:
    with ZipFile(scratch / "run.zip", "w") as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, f"run/{file.relative_to(folder)}")
    return load(scratch / "run.zip")


def _bundled(plan: EnginePlan, folder: Path, scratch: Path) -> EnginePlan:
    return load(write_bundle([str(folder)], scratch / "bundle.zip").path)


COPIES: dict[str, Callable[[EnginePlan, Path, Path], EnginePlan]] = {
    "store": _stored,
    "baseline": _baseline,
    "archive": _packed,
    "bundle": _bundled,
    "redacted": lambda plan, folder, scratch: redacted(plan),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_store_lists_no_time_that_no_gate_believes(tmp_path: Path, damage: str) -> None:
    folder = write_engine(tmp_path / "out")
    DAMAGES[damage](folder)
    run = RunStore.open(tmp_path / "store", create=True).add(folder)
    assert run.main_ms is run.throughput_qps is None and run.problems


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_copy_does_not_believe_more(tmp_path: Path, damage: str, copy: str) -> None:
    folder = write_engine(tmp_path / "out")
    DAMAGES[damage](folder)
    plan = load(folder)
    codes = {note.code for note in Performance(plan).contradicted}
    assert codes
    assert {note.code for note in Performance(COPIES[copy](plan, folder, tmp_path)).contradicted} == codes


def _without_last_layers(folder: Path) -> None:
    file = folder / f"{NAME}.graph.json"
    graph = json.loads(file.read_text())
    file.write_text(json.dumps({**graph, "Layers": graph["Layers"][:-1]}))


def _two_profiles(folder: Path) -> None:
    file = folder / f"{NAME}.profile.json"
    rows = json.loads(file.read_text())
    slower = [{key: 1.2 * value if key.endswith("Ms") else value for key, value in row.items()} for row in rows]
    file.write_text(json.dumps([*slower, *rows]))


def _other_percentages(folder: Path) -> None:
    file = folder / f"{NAME}.profile.json"
    rows = json.loads(file.read_text())
    file.write_text(json.dumps([{**row, "percentage": 99.0} if "name" in row else row for row in rows]))


DOUBTS: dict[str, Damage] = {
    "a graph without its last layers": _without_last_layers,
    "two profiles in one file": _two_profiles,
    "other percentages": _other_percentages,
    "of an unknown warm-up": lambda folder: None,
}
METRICS_OF_TIME = ("latency", "compute", "p99", "throughput", "layer-sum", "layer:*")


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("doubt", DOUBTS)
def test_the_gate_judges_a_copy_as_it_judges_the_run(tmp_path: Path, doubt: str, copy: str) -> None:
    folder = write_engine(tmp_path / "out")
    DOUBTS[doubt](folder)
    plan, other = load(folder), _measured_elsewhere(load(write_engine(tmp_path / "other")))
    conditions = [read_condition(f"{name}>3%" if name != "throughput" else f"{name}<-3%") for name in METRICS_OF_TIME]
    kept = COPIES[copy](plan, folder, tmp_path)
    pairs = (plan, other), (kept, redacted(other) if copy == "redacted" else other)
    verdicts = [
        {result.condition.metric: result.status for result in judge(PlanDiff(*pair), conditions)} for pair in pairs
    ]
    assert verdicts[0] == verdicts[1] and GateStatus.INCONCLUSIVE in verdicts[0].values()


def _measured_elsewhere(plan: EnginePlan) -> EnginePlan:
    """The other side: 1 % slower, and of a warm-up that is known and left out."""
    assert plan.query_times is not None
    columns = {name: array("d", (1.01 * ms for ms in column)) for name, column in plan.query_times.columns.items()}
    return EnginePlan(plan.engine, plan.layer_times, QueryTimes(columns, 2), plan.metadata)
