"""Times that no gate believes are believed in no copy of the run: store, baseline, archive, redacted engine.

What a copy lacks is the file or the folder that contradicts them, so it has to keep what they said.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.store.small_engines import write_engine
from trex.compare.baseline import baseline_document
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
    assert run.main_ms is run.throughput_qps is None and run.problems
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


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_copy_does_not_believe_more(tmp_path: Path, damage: str, copy: str) -> None:
    folder = write_engine(tmp_path / "out")
    DAMAGES[damage](folder)
    plan = load(folder)
    codes = {note.code for note in Performance(plan).contradicted}
    assert codes
    assert {note.code for note in Performance(COPIES[copy](plan, folder, tmp_path)).contradicted} == codes
