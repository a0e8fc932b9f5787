"""The backend through the Python API: words, failures, stops; against the mock TensorRT in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.mocks import write_model
from tests.mocks.tensorrt import write_tensorrt
from trex.capture.backend import BACKENDS
from trex.capture.backends import tensorrt as backend
from trex.capture.manifest import read_manifest
from trex.capture.options import CaptureOptions
from trex.capture.phases import Watcher
from trex.capture.process import commands, process
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.ingest.timing_cache import load_timing_cache

# Whole runs: too long for the check between two edits.
pytestmark = pytest.mark.slow

QUICK = ("iterations=10", "warmUp=0", "duration=0")

Prepared = Callable[..., CaptureOptions]


class Seen(Watcher):
    def __init__(self) -> None:
        self.phases: list[tuple[str, int | None, int | None]] = []
        self.shares: list[float] = []
        self.lines: list[str] = []

    def phase(self, name: str, done: int | None = None, total: int | None = None, share: float | None = None) -> None:
        self.phases.append((name, done, total))
        self.shares += [] if share is None else [share]

    def line(self, text: str) -> None:
        self.lines.append(text)


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prepared:
    """Options for a model, with the mock of a release where Python finds it."""

    def make(release: str = "10.4", *words: str, cuda: str = "cuda-python", **behavior: Any) -> CaptureOptions:
        packages = write_tensorrt(tmp_path / "lib", release, cuda, **behavior)
        monkeypatch.syspath_prepend(str(packages))
        monkeypatch.setenv("PYTHONPATH", str(packages))
        model = write_model(tmp_path / "m.onnx", inputs={"x": [-1, 3, 32, 32]})
        return CaptureOptions(str(model), str(tmp_path / "out"), ("shapes=x:2x3x32x32", *QUICK, *words),
                              backend="tensorrt", dont_lock_clocks=True)  # fmt: skip

    return make


@pytest.mark.parametrize("release", ["8.5", "10.16", "11.1"])
def test_a_model_becomes_files_that_load(release: str, prepared: Prepared, tmp_path: Path) -> None:
    seen = Seen()
    outcome = process(prepared(release), seen)
    assert outcome.exit_code == 0, outcome.failure
    plan = load(tmp_path / "out")
    assert len(plan.working_layers) == 11
    assert plan.performance_summary["GPU Compute Time"]
    record = read_manifest(tmp_path / "out" / "manifest.json").engines["m.onnx.engine"]
    assert (record.backend, record.program) == ("tensorrt", sys.executable)
    assert record.stages["build"].is_well and record.stages["profile"].is_well
    names = [name for name, _, _ in seen.phases]
    assert ("Building Engine", 0, 4) in seen.phases or release == "8.5"
    assert names.index("importing the network") < names.index("warm-up and iterations")
    again = process(prepared(release))
    assert set(again.up_to_date) == {"build", "profile"}


def test_what_is_asked_for_reaches_the_collector_on_every_release(prepared: Prepared) -> None:
    build, profile = commands(prepared("10.4", "fp16"))
    assert "--fp16" in build and "--fp16" not in profile
    assert "--useCudaGraph" in profile and "--noCudaGraph" not in profile
    undone = commands(prepared("10.4", "noCudaGraph"))[1]
    assert "--noCudaGraph" in undone and "--useCudaGraph" not in undone


def test_a_word_without_a_part_in_the_api_is_refused_before_the_build(prepared: Prepared) -> None:
    with pytest.raises(TrexError, match="the Python API does not support trtexec's option --avgRuns"):
        process(prepared("10.4", "avgRuns=3"))


def test_a_precision_is_refused_since_11(prepared: Prepared) -> None:
    with pytest.raises(TrexError, match=r"the Python API of TensorRT 11\.0 has no option --fp16") as caught:
        process(prepared("11.0", "fp16"))
    assert "all types come from the model" in caught.value.hint and "trtexec" not in str(caught.value)
    with pytest.raises(TrexError, match=r"the Python API of TensorRT 11\.0 has no option --fp61") as caught:
        process(prepared("11.0", "fp61"))
    assert "trtexec" not in str(caught.value)


@pytest.mark.parametrize(
    "behavior, message, hint",
    [
        ({"fails": "build"}, "the engine was not built: TensorRT built no engine: Error Code 2", "less memory"),
        (
            {"no_gpu": True},
            "the engine was not built: TensorRT 10.4.0 found no GPU it can use: CUDA initialization",
            "nvidia-smi",
        ),
        ({"fails": "inference"}, "the engine was not profiled: the inference failed", "in the log"),
        ({"parser_errors": [(7, "n", "Foo", "No importer")]}, "cannot be imported: in node 7", "onnx.checker"),
        (
            {"parser_errors": [(-1, "", "", "Failed to import initializer: w")]},
            "in the model: Failed",
            "--weights random",
        ),
    ],
)
def test_a_failure_is_reported_in_a_sentence(
    behavior: dict[str, Any], message: str, hint: str, prepared: Prepared
) -> None:
    outcome = process(prepared("10.4", **behavior))
    assert outcome.failure is not None and outcome.exit_code == 1
    assert message in outcome.failure.message
    assert hint in outcome.failure.hint
    assert outcome.failure.where.endswith(".log")


def test_tactics_are_recorded_once_and_replayed(prepared: Prepared, tmp_path: Path) -> None:
    record = tmp_path / "tactics.json"
    recording = replace(prepared("10.16"), record_tactics=str(record))
    assert process(recording).done == ("build", "profile")
    assert len(load_timing_cache(record).tactics) == 12
    assert process(recording).done == (), "its own record is no reason to build again"
    for harm in (record.unlink, lambda: record.with_suffix(".cache").write_bytes(b"of another build")):
        harm()
        assert "build" in process(recording).done and len(load_timing_cache(record).tactics) == 12
    replaying = replace(prepared("10.16", noise=9), replay_tactics=str(record))
    outcome = process(replaying)
    assert outcome.exit_code == 0 and "build" in outcome.done, outcome.failure
    outcome = process(replace(prepared("10.16", silent=[2]), replay_tactics=str(record), force=True))
    assert outcome.failure is not None and outcome.exit_code == 1
    assert "the build did not replay the recorded tactics: 1 changed" in outcome.failure.message
    assert outcome.set_aside is not None and not outcome.set_aside.engine.exists()
    assert (tmp_path / "out" / "m.onnx.engine").is_file(), "the earlier engine stays"


def test_tactics_need_this_backend_a_release_and_both_files(prepared: Prepared, tmp_path: Path) -> None:
    options = replace(prepared("10.16"), backend="auto", record_tactics="t.json")
    assert "--recordTactics=t.json" in commands(options)[0] and "--recordTactics=t.json" not in commands(options)[1]
    refused: list[tuple[dict[str, Any], str, str]] = [
        ({"backend": "trtexec"}, "trtexec has no --record-tactics", "--backend tensorrt"),
        ({"backend": "tensorrt-rtx"}, "tensorrt-rtx has no --record-tactics", "--backend tensorrt"),
        ({"backend": "simulated", "device": "A100"}, "simulated has no --record-tactics", "--backend tensorrt"),
        ({"timing_cache": "x.cache"}, "a timing cache of its own", "leave the other out"),
        ({"trtexec_args": ("timingCacheFile=x",)}, "a timing cache of its own", "leave the other out"),
        ({"profile_engine": True}, "this run builds nothing", "add -b"),
        ({"replay_tactics": str(tmp_path / "r.json")}, "no timing cache to replay", "keep both"),
    ]
    for changes, message, hint in refused:
        with pytest.raises(TrexError, match=message) as caught:
            commands(replace(options, **changes))
        assert hint in caught.value.hint
    (tmp_path / "r.cache").touch()
    (tmp_path / "r.json").write_text("{}")
    with pytest.raises(TrexError, match="not a timing cache"):
        commands(replace(options, replay_tactics=str(tmp_path / "r.json")))
    with pytest.raises(TrexError, match=r"TensorRT 10\.4\.0 has no editable timing cache"):
        commands(replace(prepared("10.4"), record_tactics="t.json"))


def test_nothing_to_measure_with_names_the_extra(prepared: Prepared, tmp_path: Path) -> None:
    options = prepared("10.4")
    assert process(options).exit_code == 0
    words = (*commands(options)[1], "--cuda=none")
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "[E] [collector] measuring needs a CUDA binding for Python" in ended.stderr
    assert "tensorrt-engine-explorer[gpu]" in ended.stderr


def test_without_tensorrt_it_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(backend, "is_installed", lambda module: False)
    options = CaptureOptions(str(write_model(tmp_path / "m.onnx")), str(tmp_path / "out"), backend="tensorrt")
    assert not BACKENDS["tensorrt"].value.is_available(options)
    with pytest.raises(TrexError, match=r"tensorrt-engine-explorer\[tensorrt\]"):
        process(options)
