"""utils/process_engine.py, summarize_engine.py and parse_trtexec_log.py: TREx's command lines and functions."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.launchers import UTILS, script
from tests.mocks import write_model
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.examples import folder

# Whole runs: too long for the check between two edits.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def launcher() -> ModuleType:
    return script("process_engine")


@pytest.fixture
def parsed(launcher: Any, tmp_path: Path, make_trtexec: Callable[..., Path]) -> Any:
    """``parsed("fp16")`` → what the classic parser makes of it."""

    def parse(*words: str) -> Any:
        model = write_model(tmp_path / "m.onnx")
        trtexec = make_trtexec("10.4")
        given = [str(model), str(tmp_path / "out"), "--trtexec", str(trtexec), "--dont-lock-clocks", *words]
        return launcher.make_subcmd_parser().parse_intermixed_args(given)

    return parse


def test_the_classic_command_line(tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    write_model(tmp_path / "model.onnx")
    environment = {**os.environ, "PATH": f"{make_trtexec('8.6').parent}{os.pathsep}{os.environ['PATH']}"}
    words = ["model.onnx", "outdir", "int8", "fp16", "shapes=input.1:32x3x224x224", "--dont-lock-clocks"]
    done = subprocess.run(
        [sys.executable, str(UTILS / "process_engine.py"), *words],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "outdir").iterdir()}
    assert {"model.onnx.engine", "model.onnx.engine.graph.json", "model.onnx.engine.profile.json",
            "model.onnx.engine.timing.json", "model.onnx.engine.build.log", "model.onnx.engine.build.metadata.json",
            "model.onnx.engine.profile.log", "model.onnx.engine.profile.metadata.json",
            "model.onnx.engine.graph.json.svg", "manifest.json"} <= names  # fmt: skip
    plan = load(tmp_path / "outdir" / "model.onnx.engine.graph.json")
    inputs, _ = plan.binding_tensors()
    assert [(tensor.name, tuple(tensor.shape or ())) for tensor in inputs] == [("input.1", (32, 3, 224, 224))]


def test_its_mistakes_have_their_exit_code(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(UTILS / "process_engine.py"), str(tmp_path / "no.onnx"), str(tmp_path)],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2 and "there is no such model" in done.stderr and "Traceback" not in done.stderr


def test_the_stages_as_functions(
    launcher: Any, parsed: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = parsed("fp16")
    assert launcher.get_subcmds(args) == (True, True, True)
    assert launcher.get_subcmds(parsed("-d")) == (False, False, True)
    launcher.create_artifacts_directory(args.outdir)
    assert launcher.get_engine_path(args, True) == str(tmp_path / "out" / "m.onnx.engine")
    assert launcher.get_engine_path(args, False) == str(tmp_path / "out" / "m.onnx")
    assert launcher.get_gpu_config_args(args) == (None, "max", "max", 0, True)
    assert launcher.profile_engine(args) is False  # there is none yet
    assert "no engine to profile" in capsys.readouterr().err
    assert launcher.build_engine(args, str(tmp_path / "my.cache")) is True
    assert (tmp_path / "my.cache").is_file() and Path(launcher.get_engine_path(args, True)).is_file()
    assert launcher.profile_engine(args) is True
    assert Path(launcher.generate_engine_svg(args)).is_file()
    assert launcher.process_engine(args, build=True, profile=True, draw=False) is True
    assert launcher.process_engine(args, build=False, profile=False, draw=False) is True
    assert launcher.do_work(parsed("fp16", "--print-only")) == 0
    assert launcher.do_work(parsed("gizmo")) == 2


def test_the_commands(launcher: Any, parsed: Any, tmp_path: Path) -> None:
    args = parsed("fp16")
    launcher.create_artifacts_directory(args.outdir)
    engine = launcher.get_engine_path(args, True)
    cache = str(tmp_path / "x.cache")
    command, log = launcher.build_engine_cmd(args, args.model, engine, cache)
    assert log == f"{engine}.build.log"
    assert {f"--timingCacheFile={cache}", "--fp16", f"--saveEngine={engine}", "--skipInference"} <= set(command)
    output = io.StringIO()
    assert launcher.run_trtexec(command, output) is True
    assert "&&&& PASSED" in output.getvalue()
    command, log = launcher.profile_engine_cmd(args, engine, cache)
    assert log == f"{engine}.profile.log" and f"--loadEngine={engine}" in command
    assert launcher.run_trtexec(command, output) is True
    assert launcher.run_trtexec([command[0], "--gizmo"], output) is False
    words = ["trtexec"]
    launcher.append_trtexec_args(["int8", "shapes=x:1"], words)
    assert shlex.join(words) == "trtexec --int8 --shapes=x:1"


def test_a_sub_command_of_another_program(launcher: Any) -> None:
    import argparse

    parser = argparse.ArgumentParser()
    launcher.make_subcmd_parser(parser.add_subparsers())
    args = parser.parse_args(["process", "m.onnx", "out", "fp16", "int8"])
    assert (args.model, args.outdir, list(args.trtexec_args), args.func) == (
        "m.onnx",
        "out",
        ["fp16", "int8"],
        launcher.do_work,
    )


def test_a_summary_of_tactics(capsys: pytest.CaptureFixture[str]) -> None:
    summarize = script("summarize_engine")
    files = [str(folder("resnet18-fp16") / f"resnet18-fp16.{kind}.json") for kind in ("graph", "profile")]
    by_count = summarize.summarize_engine(*files, group_tactics=True)
    assert capsys.readouterr().out.rstrip("\n") == by_count.rstrip("\n")
    counts = [
        int(line.split()[-3]) for line in by_count.splitlines() if line and line.split()[-1].replace(".", "").isdigit()
    ]
    assert counts == sorted(counts, reverse=True) and len(counts) > 2
    assert summarize.main([files[0], "-pj", files[1], "-sk", "latency", "-gt"]) == 0
    assert summarize.main([f"{files[0]}.missing"]) == 2
    with pytest.raises(TrexError, match="sort key"):
        summarize.summarize_engine(*files, sort_key="size")


def test_a_summary_of_another_profile_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph, profile = (folder("resnet18-fp16") / f"resnet18-fp16.{kind}.json" for kind in ("graph", "profile"))
    (tmp_path / "cut.json").write_bytes(profile.read_bytes()[:1500])
    assert script("summarize_engine").main([str(graph), "-pj", str(tmp_path / "cut.json"), "-gt"]) == 0
    said = capsys.readouterr()
    assert "(truncated)" in said.err and "(layers-not-profiled)" in said.err and "[" not in said.out


def test_a_log_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reader, log = script("parse_trtexec_log"), tmp_path / "x.log"
    run = "&&&& {} TensorRT.trtexec [TensorRT v8600] # trtexec --onnx=a.onnx\n"
    log.write_text(run.format("RUNNING") + run.format("PASSED") + run.format("RUNNING") + run.format("FAILED"))
    assert reader.main([str(log)]) == 0
    said = capsys.readouterr()
    assert "contains 2 runs: the last one is shown" in said.err and "(run-failed)" in said.err
    assert json.loads(said.out)["performance_summary"] == {}
    log.write_bytes(bytes(range(256)))
    assert reader.main([str(log)]) == 2 and capsys.readouterr().out == ""


def test_sections_of_a_log(parsed: Any, launcher: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reader = script("parse_trtexec_log")
    args = parsed("fp16")
    assert launcher.process_engine(args, True, True, False)
    engine = launcher.get_engine_path(args, True)
    build, run = reader.parse_build_log(f"{engine}.build.log"), reader.parse_profiling_log(f"{engine}.profile.log")
    assert list(build) == ["model_options", "build_options", "device_information"]
    assert list(run) == ["performance_summary", "inference_options", "device_information"]
    assert build["model_options"]["Format"] == "ONNX" and "FP16" in build["build_options"]["Precision"]
    assert len(run["performance_summary"]["GPU Compute Time"]) >= 5 and run["performance_summary"]["Throughput"] > 0

    class Archive:
        def readf(self, fname: str) -> bytes:
            return Path(fname).read_bytes()

    assert reader.parse_build_log(f"{engine}.build.log", Archive()) == build
    section = reader.FileSection("=== Model Options ===")
    for line in Path(f"{engine}.build.log").read_text().split("\n"):
        section.entered_section(line) or section.parse_line(line)
    assert section.dict == build["model_options"]
    capsys.readouterr()
    assert reader.main([f"{engine}.profile.log"]) == 0
    assert json.loads(capsys.readouterr().out)["performance_summary"] == run["performance_summary"]
    assert reader.main([f"{engine}.nothing"]) == 2
