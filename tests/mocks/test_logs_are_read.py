"""Logs of the mock, read by our own reader: the logs of every release have all facts."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mocks import RELEASES, write_model
from trex.ingest.logs.trtexec_log import read_log

# Whole runs: too long for the check between two edits.
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("release", RELEASES)
def test_a_build_and_a_run(release: str, tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    program = make_trtexec(release)
    major, _, minor = release.partition(".")
    number = (int(major), int(minor))
    model, engine = write_model(tmp_path / "m.onnx"), tmp_path / "m.engine"
    skip = "--buildOnly" if number < (8, 6) else "--skipInference"
    separate = () if number >= (11, 0) else ("--separateProfileRun",)
    logs = []
    for words in (
        (f"--onnx={model}", f"--saveEngine={engine}", skip, "--verbose", "--profilingVerbosity=detailed"),
        (f"--loadEngine={engine}", "--dumpProfile", "--dumpLayerInfo", *separate),
    ):
        done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
        (log,) = read_log(done.stdout, "a.log").runs
        assert log.passed
        assert log.metadata.tensorrt_version == RELEASES[release]
        assert not [note for note in log.all_notes if note.severity == "problem"]
        logs.append(log)
    build, run = logs
    assert build.layer_rows is not None and len(build.layer_rows) == 12
    assert build.metadata.build_options and build.metadata.model_options["Format"] == "ONNX"
    assert build.metadata.milestones["engine_built_s"] > 0
    assert run.layer_times is not None and run.layer_times.records
    assert run.raw_layers is not None and len(run.raw_layers) == 12
    latency = run.metadata.latency["GPU Compute Time"]
    assert latency.median_ms and latency.percentiles[99.0] >= latency.median_ms
    assert run.metadata.performance["Throughput"] > 0
    assert run.metadata.device["Selected Device"] == "Synthetic A100-like device"
    assert len(run.io_tensors) == 2


@pytest.mark.parametrize("release", ["8.2", "10.4", "11.1"])
def test_a_run_that_failed(release: str, tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    model = write_model(tmp_path / "m.onnx")
    words = (f"--onnx={model}", f"--saveEngine={tmp_path / 'm.engine'}")
    program = make_trtexec(release, fault="fail", at="build")
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    (log,) = read_log(done.stdout, "a.log").runs
    assert log.passed is False
    failed = next(note for note in log.all_notes if note.code == "run-failed")
    assert "Could not find any implementation for node" in failed.hint
