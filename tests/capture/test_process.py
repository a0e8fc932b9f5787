"""A model becomes its engine's files, through the mock trtexec of every release."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.mocks import RELEASES, write_model
from tests.mocks.echo import DEVICE, UUID
from tests.mocks.nvml import NO_PERMISSION, Nvml
from trex.capture import child_job
from trex.capture.backend import BACKENDS, Backend
from trex.capture.capture_run import CaptureResult
from trex.capture.options import CaptureOptions
from trex.capture.phases import Watcher
from trex.capture.process import archive, commands, is_used, process
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.export.diagram import Drawing, render_diagram
from trex.views.diagram.style import DiagramStyle

# Whole runs: too long for the check between two edits.
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("terminal_signals")]

Make = Callable[..., Path]
GONE_IN_11 = ("int8", "fp16")
SOME = ("8.2", "8.6", "10.16", "11.1")  # tests/capture/trtexec has the command lines of all


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path / "a mödel.onnx")


def options(model: Path, trtexec: Path, *words: str, **more: Any) -> CaptureOptions:
    return CaptureOptions(
        str(model), str(model.parent / "öut put"), words, trtexec=str(trtexec), dont_lock_clocks=True, **more
    )


def stages_of(outcome: CaptureResult) -> dict[str, Any]:
    """Of the run, also where it was set aside."""
    document = json.loads((outcome.set_aside or outcome.outputs).manifest.read_text())
    return {stage["name"]: stage for stage in document["engines"][0]["stages"]}


@pytest.mark.parametrize("release", SOME)
def test_a_model_becomes_files_that_load(release: str, model: Path, make_trtexec: Make) -> None:
    words = () if release.startswith("11") else GONE_IN_11
    wanted = options(model, make_trtexec(release), *words, "shapes=x:2x3x32x32")
    outcome = process(wanted)
    assert (outcome.exit_code, outcome.failure, outcome.done) == (0, None, ("build", "profile"))
    o = outcome.outputs
    names = {path.name.removeprefix("a mödel.onnx.engine") for path in o.folder.iterdir()}
    assert names == {"", ".graph.json", ".profile.json", ".timing.json", ".build.log", ".build.metadata.json",
                     ".profile.log", ".profile.metadata.json", "manifest.json", "timing.cache"}  # fmt: skip
    plan = load(o.graph)
    assert len(plan.working_layers) >= 10 and plan.total_runtime > 0 and plan.performance_summary
    assert plan.device_properties and plan.builder_cfg
    picture = render_diagram(Drawing(plan, DiagramStyle(), None, None), "svg")
    assert picture.startswith(b"<") and picture.rstrip().endswith(b"</svg>")
    record = json.loads(o.manifest.read_text())["engines"][0]
    assert record["tensorrt_version"] == RELEASES[release]
    assert record["model"]["sha256"] and record["engine"]["size_bytes"] == o.engine.stat().st_size
    assert [tuple(stage["command"]) for stage in record["stages"]] == commands(wanted)
    assert all(stage["exit_code"] == 0 and stage["start"] <= stage["end"] for stage in record["stages"])
    metadata = json.loads(o.build_metadata.read_text())
    assert metadata["model_options"]["Format"] == "ONNX" and metadata["device_information"]
    metadata = json.loads(o.profile_metadata.read_text())
    assert len(metadata["performance_summary"]["GPU Compute Time"]) >= 5


def test_what_is_up_to_date_is_not_done_again(model: Path, make_trtexec: Make) -> None:
    wanted = options(model, make_trtexec("10.4"))
    first = process(wanted)
    again = process(wanted)
    assert (again.done, again.up_to_date) == ((), ("build", "profile"))
    assert again.record is not None and first.record is not None
    assert process(replace(wanted, force=True)).done == ("build", "profile")
    assert process(replace(wanted, trtexec_args=("fp16",))).done == ("build", "profile")  # another engine
    measured = process(replace(wanted, trtexec_args=("fp16",), iterations=20))
    assert (measured.done, measured.up_to_date) == (("profile",), ("build",))


def test_another_environment_of_cuda_is_another_run(
    model: Path, make_trtexec: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = options(model, make_trtexec("10.4"))
    process(wanted)
    for name, value in (("CUDA_VISIBLE_DEVICES", "1"), ("NVIDIA_TF32_OVERRIDE", "0")):
        monkeypatch.setenv(name, value)
        assert process(wanted).done == ("build", "profile")
        assert process(wanted).done == ()


def test_another_gpu_is_another_run_where_nvml_answers(nvml: Nvml, model: Path, make_trtexec: Make) -> None:
    wanted = options(model, make_trtexec("10.4"), build_engine=True)
    nvml.failing["nvmlInit"] = 9
    process(wanted)
    assert process(wanted).done == ()
    nvml.failing.clear()
    for name in (nvml.names[0], "NVIDIA H100 80GB"):
        nvml.names[0] = name
        assert process(wanted).done == ("build",) and process(wanted).done == ()
    built = process(wanted).outputs
    built.graph.unlink()
    assert process(wanted).done == ("build",) and built.graph.is_file()


def test_files_that_moved_are_the_same(model: Path, make_trtexec: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    trtexec = make_trtexec("10.4")
    monkeypatch.chdir(model.parent)
    wanted = replace(options(model, trtexec), model=model.name, outdir="out")
    process(wanted)
    Path("out").rename("elsewhere")
    (model.parent / "below").mkdir()
    monkeypatch.chdir(model.parent / "below")
    moved = process(replace(wanted, model=f"../{model.name}", outdir="../elsewhere"))
    assert (moved.done, moved.up_to_date) == ((), ("build", "profile"))


@pytest.mark.parametrize("lost", [".engine", ".engine.profile.json", ".engine.build.log"])
def test_what_is_lost_or_changed_is_made_again(lost: str, model: Path, make_trtexec: Make) -> None:
    wanted = options(model, make_trtexec("10.4"))
    outcome = process(wanted)
    (outcome.outputs.folder / f"{model.name}{lost}").unlink()
    again = process(wanted)
    assert again.done == (("profile",) if "profile" in lost else ("build", "profile"))
    outcome.outputs.graph.write_text("{}")
    assert process(wanted).done == ("profile",)


def test_a_change_of_the_model_its_weights_or_the_release_counts(model: Path, make_trtexec: Make) -> None:
    wanted = options(model, make_trtexec("10.4"))
    process(wanted)
    write_model(model, layers=9)
    assert "build" in process(wanted).done
    (model.parent / f"{model.name}.data").write_text("weights")
    assert "build" in process(wanted).done
    assert "build" in process(replace(wanted, trtexec=str(make_trtexec("10.16")))).done
    write_model(model, layers=9)  # written again, the same
    later = replace(wanted, trtexec=str(make_trtexec("10.16")))
    assert process(later).done == ()
    write_model(model, layers=3)
    for only in ({"profile_engine": True}, {"draw_engine": True}):  # what is there is another model's
        assert "other-model" in [note.code for note in process(replace(later, **only)).notes]
    assert "other-model" not in [note.code for note in process(later).notes]


def test_an_engine_is_profiled_where_it_lies(model: Path, make_trtexec: Make) -> None:
    built = process(options(model, make_trtexec("10.4"), build_engine=True))
    assert built.done == ("build",) and not built.outputs.profile.exists()
    engine = model.parent / "given.engine"
    built.outputs.engine.rename(engine)
    outcome = process(replace(options(model, make_trtexec("10.4")), model=str(engine)))
    assert outcome.done == ("profile",) and outcome.outputs.engine == engine
    assert load(outcome.outputs.graph).total_runtime > 0
    with pytest.raises(TrexError, match="nothing to build"):
        process(replace(options(model, make_trtexec("10.4"), build_engine=True), model=str(engine)))


def test_an_engine_of_another_release_is_reported_before_it_runs(model: Path, make_trtexec: Make) -> None:
    built = process(options(model, make_trtexec("10.16"), build_engine=True))
    wanted = replace(options(model, make_trtexec("10.4")), model=str(built.outputs.engine))
    outcome = process(wanted)
    assert outcome.failure is not None and outcome.exit_code == 2
    assert "built by TensorRT 10.16.1" in outcome.failure.message
    assert not outcome.outputs.profile_log.exists()


def test_words_are_checked_before_the_build(model: Path, make_trtexec: Make) -> None:
    with pytest.raises(TrexError, match="no option --fp16"):
        process(options(model, make_trtexec("11.1"), "fp16"))
    assert not (model.parent / "öut put").exists()


@pytest.mark.parametrize("was_there", [False, True])
def test_what_is_refused_before_it_begins_leaves_no_folder_behind(was_there: bool, model: Path, tmp_path: Path) -> None:
    refused = options(model, tmp_path / "no trtexec here")
    folder = Path(refused.outdir)
    if was_there:
        folder.mkdir()
    with pytest.raises(TrexError):
        process(refused)
    assert folder.exists() is was_there


def test_a_new_engine_takes_the_old_ones_times_with_it(model: Path, make_trtexec: Make) -> None:
    wanted = options(model, make_trtexec("10.4"))
    o = process(wanted).outputs
    assert o.profile.is_file() and o.times.is_file() and archive(o).is_file()
    assert process(wanted).done == () and o.archive.is_file()
    o.archive.write_bytes(b"the user's")
    rebuilt = process(replace(wanted, trtexec_args=("fp16",), build_engine=True))
    assert o.engine.is_file() and o.graph.is_file() and o.archive.read_bytes() == b"the user's"
    assert "older-archive" in [note.code for note in rebuilt.notes]
    assert not o.profile.exists() and not o.times.exists() and not o.profile_metadata.exists()
    assert list(stages_of(process(replace(wanted, trtexec_args=("fp16",), draw_engine=True)))) == ["build"]


def test_notes_about_options_are_kept(model: Path, make_trtexec: Make) -> None:
    outcome = process(options(model, make_trtexec("10.4"), "skipInference", build_engine=True))
    assert [note.severity for note in outcome.notes] == ["info"]


@pytest.mark.parametrize("at", ["parse", "build"])
def test_a_build_that_fails(at: str, model: Path, make_trtexec: Make) -> None:
    good = process(options(model, make_trtexec("10.4")))
    engine = good.outputs.engine.read_bytes()
    trtexec = make_trtexec("10.4", folder=model.parent / "bad", fault="fail", at=at)
    outcome = process(options(model, trtexec, "fp16"))
    assert outcome.failure is not None and (outcome.exit_code, outcome.done) == (1, ())
    words = {"parse": "No importer registered for op: Gizmo", "build": "Could not find any implementation"}[at]
    assert outcome.set_aside is not None and outcome.failure.where == str(outcome.set_aside.build_log)
    assert words in outcome.failure.message and "&&&& FAILED" in outcome.set_aside.build_log.read_text()
    assert outcome.outputs.engine.read_bytes() == engine  # of the run before
    assert load(outcome.outputs.graph).total_runtime > 0
    assert stages_of(outcome)["build"]["exit_code"] == 1 and not stages_of(outcome)["build"]["is_well"]
    assert process(options(model, make_trtexec("10.4"), "fp16")).done == ("build", "profile")


@pytest.mark.parametrize("at", ["load", "inference", "profile"])
def test_what_was_collected_is_kept_when_the_profile_fails(at: str, model: Path, make_trtexec: Make) -> None:
    outcome = process(options(model, make_trtexec("10.4", fault="fail", at=at)))
    assert outcome.failure is not None and (outcome.exit_code, outcome.done) == (1, ("build",))
    o, aside = outcome.outputs, outcome.set_aside
    assert o.engine.is_file() and o.graph.is_file() and not o.profile.exists() and not o.times.exists()
    assert len(load(o.graph).layers) >= 10
    assert aside is not None and aside.profile_log.is_file() and aside.times.exists() == (at == "profile")
    again = process(options(model, make_trtexec("10.4")))
    assert (again.up_to_date, again.done) == (("build",), ("profile",))


def test_other_ends(model: Path, make_trtexec: Make) -> None:
    for number, (fault, code, words) in enumerate(
        # 128 + N is for signals that trex itself got
        (("exit:137", 1, "memory"), ("signal:11", 1, "died of SIGSEGV): it crashed"), ("partial", 1, "died of SIGKILL"))
    ):
        trtexec = make_trtexec("10.4", folder=model.parent / str(number), fault=fault)
        outcome = process(options(model, trtexec))
        assert outcome.failure is not None and outcome.exit_code == code and words in outcome.failure.message
        assert not outcome.outputs.engine.exists()
    failing, wrapper = make_trtexec("10.4", folder=model.parent / "w", fault="fail"), model.parent / "wrapper"
    wrapper.write_text(f"#!/bin/sh\n'{failing}' \"$@\" || true\n")  # a wrapper that loses the exit code
    wrapper.chmod(0o755)
    outcome = process(options(model, wrapper))
    assert outcome.failure is not None and outcome.exit_code == 2 and not outcome.outputs.engine.exists()


def test_a_log_that_cannot_be_opened_is_named_at_its_place(
    model: Path, make_trtexec: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object, log: Path, *__: object, **___: object) -> None:
        raise TrexError("the log cannot be written", "choose another folder", str(log))

    monkeypatch.setattr(child_job, "run_child", refuse)
    outcome = process(options(model, make_trtexec("10.4")))
    assert outcome.failure is not None and outcome.failure.where == str(outcome.outputs.build_log)


def test_half_an_engine_is_none(model: Path, make_trtexec: Make) -> None:
    outcome = process(options(model, make_trtexec("10.4", fault="no-space", at="serialize")))
    assert outcome.failure is not None and "Saving engine to file failed" in outcome.failure.message
    assert "space" in outcome.failure.hint and not outcome.outputs.engine.exists()


def test_exports_that_are_cut_short_are_reported(model: Path, make_trtexec: Make) -> None:
    outcome = process(options(model, make_trtexec("10.4", fault="no-space", at="export")))
    assert (outcome.exit_code, outcome.failure) == (1, None)
    cut = {note.where for note in outcome.notes if note.code == "export-incomplete"}
    o = outcome.outputs
    assert cut == {str(o.graph), str(o.profile), str(o.times)}
    assert len(load(o.graph).layers) > 1  # what is whole of them is read
    assert process(options(model, make_trtexec("10.4"))).done == ("build", "profile")


def test_a_time_limit(model: Path, make_trtexec: Make) -> None:
    outcome = process(options(model, make_trtexec("10.4", fault="hang", at="inference"), timeout=5))
    assert outcome.failure is not None and outcome.exit_code == 2 and outcome.done == ("build",)
    assert "stopped after 5 s (phase: warm-up and iterations)" in outcome.failure.message
    assert stages_of(outcome)["profile"]["stopped_by"] == "time limit"


def test_the_question_for_the_release_ends_in_time_too(model: Path, make_trtexec: Make) -> None:
    with pytest.raises(TrexError, match=r"no answer within 0\.2 s"):
        process(options(model, make_trtexec("10.4", fault="hang", at="start"), timeout=0.2))


class Interrupting(Watcher):
    """A watcher that sends us a signal at the first line that begins so."""

    def __init__(self, at: str, number: int) -> None:
        self.at, self.number = at, number

    def phase(self, name: str, done: int | None = None, total: int | None = None, share: float | None = None) -> None:
        if name == self.at:
            threading.Timer(0.05, os.kill, (os.getpid(), self.number)).start()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_keeps_what_is_there(number: int, code: int, model: Path, make_trtexec: Make) -> None:
    before = signal.getsignal(number)
    wanted = options(model, make_trtexec("10.4", fault="hang", at="inference"))
    outcome = process(wanted, Interrupting("warm-up and iterations", number))
    assert (outcome.exit_code, outcome.failure, outcome.done) == (code, None, ("build",))
    assert outcome.stopped_by == signal.Signals(number).name
    assert signal.getsignal(number) is before
    assert outcome.set_aside and "Starting inference" in outcome.set_aside.profile_log.read_text()
    assert stages_of(outcome)["profile"]["stopped_by"] == outcome.stopped_by


def test_an_interrupted_build_leaves_no_engine(model: Path, make_trtexec: Make) -> None:
    wanted = options(model, make_trtexec("10.4", pace=0.2))
    outcome = process(wanted, Interrupting("timing the tactics of layers", signal.SIGINT))
    assert outcome.exit_code == 130 and not outcome.outputs.engine.exists()
    assert not [path for path in outcome.outputs.folder.iterdir() if path.name.startswith(".")]


def test_clocks_are_locked_watched_and_back_after_an_interruption(nvml: Nvml, model: Path, make_trtexec: Make) -> None:
    nvml.names, nvml.uuids = [DEVICE], [UUID]  # as trtexec names it
    wanted = replace(
        options(model, make_trtexec("10.4", fault="hang", at="inference"), monitor=True, compute_clk_freq="1200"),
        dont_lock_clocks=False,
    )
    outcome = process(wanted, Interrupting("warm-up and iterations", signal.SIGTERM))
    assert (outcome.exit_code, outcome.stopped_by, outcome.notes) == (143, "SIGTERM", ())
    changed = [call[0].removeprefix("nvmlDevice") for call in nvml.calls]
    assert changed == ["SetMemoryLockedClocks", "SetGpuLockedClocks", "ResetGpuLockedClocks", "ResetMemoryLockedClocks"]
    assert outcome.set_aside is not None
    record = json.loads(outcome.set_aside.manifest.read_text())["engines"][0]
    assert record["clocks"] == {"memory_clock_mhz": 1512, "compute_clock_mhz": 1200}
    telemetry = json.loads(outcome.set_aside.telemetry.read_text())
    assert [stage["name"] for stage in telemetry["stages"]] == ["build", "profile"]
    done = process(replace(wanted, trtexec=str(make_trtexec("10.4"))))
    plan = load(done.outputs.graph)
    assert done.done == ("profile",) and plan.telemetry is not None


def test_the_gpu_of_the_words_is_locked_and_watched(nvml: Nvml, model: Path, make_trtexec: Make) -> None:
    nvml.names.append("NVIDIA A100 80GB PCIe")
    nvml.uuids.append("GPU-00000001-0000-0000-0000-000000000000")
    wanted = options(model, make_trtexec("10.4"), "device=1", monitor=True)
    outcome = process(replace(wanted, dont_lock_clocks=False))
    assert {call[1] for call in nvml.calls} == {1001}
    assert outcome.set_aside is not None  # the mock has one GPU
    assert json.loads(outcome.set_aside.telemetry.read_text())["gpu"]["index"] == 1


@pytest.mark.parametrize("release", ["8.6", "10.16"])
def test_a_gpu_that_is_not_there(release: str, model: Path, make_trtexec: Make) -> None:
    failure = process(options(model, make_trtexec(release), dev=7)).failure
    assert failure and "no reason" not in failure.message and "nvidia-smi -L" in failure.hint


def test_clocks_that_cannot_be_put_back_are_reported(nvml: Nvml, model: Path, make_trtexec: Make) -> None:
    nvml.failing["nvmlDeviceResetGpuLockedClocks"] = NO_PERMISSION
    outcome = process(replace(options(model, make_trtexec("10.4")), dont_lock_clocks=False))
    assert [note.code for note in outcome.notes] == ["clocks-not-restored"]
    nvml.calls.clear()
    assert process(replace(options(model, make_trtexec("10.4")), dont_lock_clocks=False)).done == ()
    assert nvml.calls == []  # nothing to measure, nothing to lock


def test_warnings_of_a_run_become_notes(model: Path, make_trtexec: Make) -> None:
    outcome = process(options(model, make_trtexec("10.4", unstable=True)))
    assert "unstable-gpu-time" in {note.code for note in outcome.notes}


def test_several_models_share_a_folder(model: Path, make_trtexec: Make) -> None:
    trtexec = make_trtexec("10.4")
    other = write_model(model.parent / "other.onnx", layers=9)
    process(options(model, trtexec))
    process(options(other, trtexec))
    assert process(options(model, trtexec)).done == () == process(options(other, trtexec)).done


@pytest.mark.parametrize("ending", ["", ".graph.json", ".timing.json", ".build.log", ".profile.metadata.json", ".tea"])
def test_files_that_no_run_of_trex_wrote_are_not_replaced(model: Path, make_trtexec: Make, ending: str) -> None:
    wanted = options(model, make_trtexec("10.4"), archive=ending == ".tea")
    own = Path(wanted.outdir) / f"{model.name}.engine{ending}"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("mine")
    with pytest.raises(TrexError, match="no record of this file") as caught:
        process(wanted)
    assert own.read_text() == "mine" and "--force" in caught.value.hint
    assert process(replace(wanted, force=True)).done == ("build", "profile")
    assert ending == ".tea" or own.read_bytes() != b"mine"  # the command writes it


def test_another_model_of_the_same_name_is_refused(model: Path, make_trtexec: Make) -> None:
    wanted = options(model, make_trtexec("10.4"), build_engine=True)
    process(wanted)
    (model.parent / "b").mkdir()
    other = replace(wanted, model=str(write_model(model.parent / "b" / model.name, layers=9)))
    with pytest.raises(TrexError, match="are of another model") as caught:
        process(other)
    assert str(model) in caught.value.message and process(wanted).done == ()
    copy = model.parent / "b" / "copy" / model.name
    copy.parent.mkdir()
    copy.write_bytes(model.read_bytes())
    assert process(replace(wanted, model=str(copy))).done == ()
    assert process(replace(other, force=True)).done == ("build",)
    Path(other.model).unlink()  # it was moved, or nobody needs it
    built = process(wanted)
    assert built.done == ("build",)
    engines = []
    for name in ("c", "d"):
        engines.append(model.parent / name / built.outputs.name)
        engines[-1].parent.mkdir()
        engines[-1].write_bytes(built.outputs.engine.read_bytes())
    process(replace(wanted, force=True, trtexec_args=("fp16",)))
    engines[1].write_bytes(built.outputs.engine.read_bytes())
    first, second = (
        replace(wanted, model=str(engine), outdir=str(model.parent / "profiled"), build_engine=False)
        for engine in engines
    )
    assert process(first).done == ("profile",)
    with pytest.raises(TrexError, match="are of another engine"):
        process(second)
    assert process(first).done == () and process(replace(second, force=True)).done == ("profile",)


def test_a_profile_without_an_engine(model: Path, make_trtexec: Make) -> None:
    with pytest.raises(TrexError, match="no engine to profile"):
        process(options(model, make_trtexec("10.4"), profile_engine=True))


def test_one_file_for_all(model: Path, make_trtexec: Make) -> None:
    outcome = process(options(model, make_trtexec("10.16")))
    path = archive(outcome.outputs)
    assert path.name == "a mödel.onnx.engine.tea"
    for other in outcome.outputs.folder.iterdir():
        if other != path:
            other.unlink()
    assert load(path).total_runtime > 0


def test_backends() -> None:
    assert "trtexec" in BACKENDS.names
    for plug in BACKENDS.values():
        assert isinstance(plug.value, Backend) and plug.value.name == plug.name
    with pytest.raises(TrexError, match="no backend"):
        commands(CaptureOptions(__file__, "out", backend="gizmo"))


def test_what_comes_next_is_prepared_while_a_stage_runs(model: Path, make_trtexec: Make) -> None:
    threads: list[str] = []

    def meanwhile() -> None:
        threads.append(threading.current_thread().name)
        raise RuntimeError("this is no failure of the run")

    outcome = process(options(model, make_trtexec("10.4")), meanwhile=meanwhile)
    assert outcome.failure is None and outcome.done == ("build", "profile")
    assert len(threads) == 2 and threading.main_thread().name not in threads


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this system")
@pytest.mark.parametrize("option", ["timing_cache", "replay_tactics"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(model: Path, tmp_path: Path, option: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(TrexError, match="a device or a pipe"):
        process(CaptureOptions(str(model), str(tmp_path / "out"), **{option: str(pipe)}))


@pytest.mark.parametrize("is_word", [False, True])
def test_a_file_that_is_not_a_timing_cache_is_not_written_over(model: Path, tmp_path: Path, is_word: bool) -> None:
    given: dict[str, Any] = {"trtexec_args": (f"timingCacheFile={model}",)} if is_word else {"timing_cache": str(model)}
    wanted = CaptureOptions(str(model), str(tmp_path / "out"), **given)
    with pytest.raises(TrexError, match="not a timing cache"):
        process(wanted)


def test_no_output_of_trtexec_is_written_over_the_model(model: Path, tmp_path: Path) -> None:
    path = model.parent / "." / model.name
    for word in (
        f"exportOutput={path}",
        f"saveDebugTensors=x:{path}",
        f"exportOutput={tmp_path}/out/{model.name}.engine",
    ):
        with pytest.raises(TrexError, match="write over a file of this run"):
            process(CaptureOptions(str(model), str(tmp_path / "out"), (word,)))
    with pytest.raises(TrexError, match="name another for exportOutput"):
        process(CaptureOptions(str(model), str(tmp_path / "out"), ("loadInputs=x:a.bin,y:b.bin", "exportOutput=b.bin")))


def test_every_file_that_a_run_writes_is_used_by_it(model: Path) -> None:
    words = ("exportOutput=o.json", "saveDebugTensors=a:d.bin,b:e.bin")
    wanted = CaptureOptions(str(model), "out", words, record_tactics="r.json")
    for path in ("o.json", "d.bin", "e.bin", "r.json", "r.cache", "./out/timing.cache"):
        assert is_used(path, wanted), path
    assert is_used("r.cache", CaptureOptions(str(model), "out", (), replay_tactics="r.json"))
    assert not is_used("answer.json", wanted)


@pytest.mark.parametrize("head", [b"", b"ptrt", b"of an older version"])
def test_a_timing_cache_is_used(head: bytes, model: Path, make_trtexec: Make, tmp_path: Path) -> None:
    cache = tmp_path / "my.CACHE"
    cache.write_bytes(head)
    assert process(options(model, make_trtexec("10.4"), timing_cache=str(cache))).failure is None
