"""Logs of other engines in an engine's folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.raw_records import chain, layer, plan_of
from trex.core.metadata import Metadata
from trex.engine_plan import load
from trex.ingest.finding.contradiction import contradiction
from trex.ingest.logs.log_run import LogRun
from trex.ingest.logs.trtexec_log import read_log

CODE = "log-of-another-engine"


def test_layers_decide_and_else_inputs_and_outputs(tmp_path: Path) -> None:
    engine = plan_of(tmp_path, chain("conv1", "conv2", "conv3"), ["x", "y"]).engine
    others = [layer(name) for name in ("a", "b", "c")]
    assert contradiction(engine, LogRun(Metadata(), layer_rows=others, bindings=["x", "y"])) == (
        "0 of its 3 layers are in the graph"
    )
    assert not contradiction(engine, LogRun(Metadata(), raw_layers=[*others, layer("conv2")], bindings=["p"]))
    assert "'p', 'q', the engine's 'x', 'y'" in contradiction(engine, LogRun(Metadata(), bindings=["p", "q"]))
    assert not contradiction(engine, LogRun(Metadata(), raw_layers=others[:2], bindings=["x", "q"]))
    assert not contradiction(engine, LogRun(Metadata()))


def test_nothing_of_another_engines_log_is_used(shared_engines: Path, shared_logs: Path, tmp_path: Path) -> None:
    """Every real log with every real engine: none is of any of them."""
    logs = {path: read_log(path.read_bytes(), path.name).runs for path in sorted(shared_logs.glob("*.log"))}
    named = {path: runs for path, runs in logs.items() if all(run.bindings or run.layer_rows for run in runs)}
    assert len(named) > 8
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        engine = load(folder).engine
        own = {binding.name for binding in engine.bindings}
        if not own:
            continue
        for path, runs in named.items():
            agreeing = [run for run in runs if not contradiction(engine, run)]
            assert all(own & set(map(str, run.bindings)) for run in agreeing if run.bindings), (folder.name, path.name)


@pytest.mark.parametrize("name", ["trt8.4-mnist-fp16-build-verbose.log", "trt10.16-trtexec-01.log"])
def test_a_folder_with_such_a_log_is_read_without_it(
    name: str, shared_engines: Path, shared_logs: Path, tmp_path: Path
) -> None:
    source = shared_engines / "trt8.2-resnet50-rtx3090-fp16"
    for path in (*source.glob("*.graph.json"), *source.glob("*.engine.profile.json")):
        shutil.copy(path, tmp_path)
    alone = load(tmp_path)
    shutil.copy(shared_logs / name, tmp_path / "build.log")
    plan = load(tmp_path)
    assert (plan.build_metadata, plan.metadata) == (alone.build_metadata, alone.metadata)
    assert plan.engine == alone.engine
    (note,) = [note for note in plan.notes if note.code == CODE]
    assert note.severity == "problem" and note.where.endswith("build.log")


def test_an_engines_own_log_is_kept(shared_engines: Path) -> None:
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        assert CODE not in {note.code for note in load(folder).notes}, folder.name
