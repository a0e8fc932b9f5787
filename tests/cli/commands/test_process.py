"""trex process: the whole way through the command line, and what is said on it."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.capture.test_child import is_gone
from tests.mocks import write_model
from trex.capture.folder_lock import locked
from trex.cli import picture
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.export import document as document_module

# Whole runs: too long for the check between two edits.
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("terminal_signals")]

REPOSITORY = Path(__file__).resolve().parents[3]
UNLOCKED = "--dont-lock-clocks"
Make = Callable[..., Path]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path / "a mödel.onnx")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "öut put"


def test_from_a_model_to_its_picture(trex, model, out, make_trtexec):
    said = trex("process", model, out, "--trtexec", make_trtexec("10.16"), UNLOCKED, "--archive", "fp16",
                "shapes=x:2x3x32x32")  # fmt: skip
    assert said.code == 0
    assert "GPU compute " in said.out and "Slowest layers" in said.out
    for ending in ("", ".graph.json", ".profile.json", ".timing.json", ".build.log", ".graph.json.svg", ".tea"):
        assert str(out / f"{model.name}.engine{ending}") in said.out
    assert str(out / "manifest.json") in said.out
    phases = said.err.splitlines()
    assert phases[0] == "starting trtexec to build the engine"
    assert "timing the tactics of layers (12)" in phases and phases[-2:] == ["exporting", "drawing the engine"]
    svg = (out / f"{model.name}.engine.graph.json.svg").read_text()
    assert svg.startswith("<") and "</svg>" in svg
    assert load(out / f"{model.name}.engine.tea").total_runtime > 0
    again = trex("process", model, out, "--trtexec", make_trtexec("10.16"), UNLOCKED, "fp16", "shapes=x:2x3x32x32")
    assert again.code == 0 and "build: up to date" in again.out and again.err == ""


def test_two_runs_do_not_mix(trex, model, out, make_trtexec):
    out.mkdir()
    with locked(out):
        said = trex("process", model, out, "--trtexec", make_trtexec("10.4"), UNLOCKED)
    assert said.code == 2 and f"another run writes into this folder: process {os.getpid()} on " in said.err
    assert not list(out.iterdir())


def test_a_model_that_trtexec_cannot_read(trex, model, out, make_trtexec):
    model.write_bytes(b"version https://git-lfs.github.com/spec/v1")
    said = trex("process", model, out, "--trtexec", make_trtexec("10.4"), UNLOCKED)
    assert said.code == 1
    log = out / f"{model.name}.engine.failed" / f"{model.name}.engine.build.log"
    told = f"{log}: the engine was not built (trtexec ended with 1): Error parsing text-format onnx2trt_onnx.ModelProto"
    assert told in said.err and "try: is it a complete ONNX model?" in said.err
    assert log.stat().st_size


def test_flags_may_stand_between_the_words(trex, model, out, make_trtexec):
    said = trex(
        "process", "-b", model, out, "fp16", "--trtexec", make_trtexec("8.2"), "int8", UNLOCKED, "--", "--noTF32"
    )
    assert said.code == 0, said.err
    command = json.loads((out / "manifest.json").read_text())["engines"][0]["stages"][0]["command"]
    assert command[-3:] == ["--fp16", "--int8", "--noTF32"]
    assert not (out / f"{model.name}.engine.graph.json.svg").exists()


def test_options_for_trtexec_may_have_dashes(trex, model, out, make_trtexec):
    words = ("--fp16", "--minShapes=x:1x3x8x8", "optShapes=x:2x3x8x8", "--maxShapes=x:4x3x8x8", "--verbose")
    said = trex("process", model, out, *words, "--iterations", "20", "--trtexec", make_trtexec("10.4"), "--print-only")
    assert said.code == 0, said.err
    _, build, profile = map(shlex.split, said.out.splitlines())
    assert {"--fp16", *words[1:2], "--optShapes=x:2x3x8x8", "--maxShapes=x:4x3x8x8"} <= set(build)
    assert "--iterations=20" in profile
    said = trex("process", model, out, "--gizmo", "--trtexec", make_trtexec("10.4"))
    assert said.code == 2 and "unrecognized arguments: --gizmo" in said.err


def test_commands_to_copy(trex, model, out, make_trtexec):
    said = trex("process", model, out, "--trtexec", make_trtexec("10.4"), "--print-only", "fp16")
    assert (said.code, said.err) == (0, "") and not out.exists()
    folder, build, profile = map(shlex.split, said.out.splitlines())
    assert f"--onnx={model}" in build and "--fp16" in build
    for command in (folder, build, profile):
        assert subprocess.run(command, capture_output=True).returncode == 0
    assert load(out / f"{model.name}.engine.graph.json").total_runtime > 0
    said = trex("process", model, out, "--trtexec", make_trtexec("10.4"), "--print-only", "fp16", "--json")
    assert json.loads(said.out)["sections"]["commands"]["data"]["commands"] == [build, profile]


def test_as_json(trex, model, out, make_trtexec):
    said = trex("process", model, out, "--trtexec", make_trtexec("11.1"), UNLOCKED, "--json")
    document = json.loads(said.out)
    sections = document["sections"]
    assert (said.code, said.err) == (0, "")
    assert document["schema"] == "trex.process/1" and sections["run"]["data"]["done"] == ["build", "profile"]
    assert Path(sections["files"]["facts"]["picture"]).is_file()
    assert sections["details"]["facts"]["sum_of_layer_times"] > 0
    bad = trex("process", model, out, "--trtexec", make_trtexec("11.1", fault="fail", at="parse"), UNLOCKED, "--json",
               "--force")  # fmt: skip
    result = json.loads(bad.out)["sections"]["run"]["data"]
    assert bad.code == result["exit_code"] == 1
    assert "Gizmo" in result["failure"]["message"]


def test_a_picture_that_fails_loses_nothing(trex, model, out, make_trtexec, monkeypatch):
    def fail(*_: object) -> str:
        raise RuntimeError("no ink")

    monkeypatch.setattr(picture, "draw", fail)
    said = trex("process", model, out, "--trtexec", make_trtexec("10.4"), UNLOCKED, "--report")
    assert said.code == 0
    assert "the engine was not drawn: RuntimeError: no ink" in said.out and "trex draw" in said.out
    assert "GPU compute " in said.out and (out / f"{model.name}.engine.profile.json").is_file()
    assert (out / f"{model.name}.engine.report.html").is_file()
    assert trex("process", model, out, "-d").code == 1


def test_the_report_is_written_where_it_is_asked_for(trex, model, out, make_trtexec, monkeypatch):
    said = trex("process", model, out, "--trtexec", make_trtexec("10.4"), UNLOCKED, "--report", "--archive", "--json")
    document = json.loads(said.out)
    page = out / f"{model.name}.engine.report.html"
    assert document["sections"]["files"]["facts"]["report"] == str(page)
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert not [note for note in load(out / f"{model.name}.engine.tea").notes if "report" in note.message]

    def fail(*_: object) -> Path:
        raise TrexError("no ink", "more ink")

    monkeypatch.setattr(document_module, "write_document", fail)
    page.unlink()
    said = trex("process", model, out, "--trtexec", make_trtexec("10.4"), UNLOCKED, "--report")
    assert said.code == 1 and "the report was not written: no ink" in said.out and "more ink" in said.out
    assert not page.exists()


def test_drawing_alone_needs_no_trtexec(trex, model, out, make_trtexec, monkeypatch):
    assert "nothing to draw" in trex("process", model, out, "-d").err
    assert trex("process", model, out, "-b", "-p", "--trtexec", make_trtexec("10.4"), UNLOCKED).code == 0
    monkeypatch.setenv("PATH", "")
    said = trex("process", model, out, "--draw-engine")
    assert said.code == 0 and (out / f"{model.name}.engine.graph.json.svg").is_file()


def test_names_cannot_steer_the_terminal(trex, tmp_path, make_trtexec):
    model = write_model(tmp_path / "a\x1b[31m\nb\u202e.onnx")
    said = trex("process", model, tmp_path / "out", "--trtexec", make_trtexec("10.4"), UNLOCKED)
    assert said.code == 0 and "a\\x1b[31m\\nb\\u202e.onnx.engine.graph.json" in said.out
    assert all(line.isprintable() for line in (said.out + said.err).split("\n"))


def test_mistakes_are_told_in_one_sentence(trex, model, out, make_trtexec, tmp_path):
    trtexec = make_trtexec("11.1")
    (tmp_path / "file").touch()
    (tmp_path / "empty.onnx").touch()
    (tmp_path / "text.onnx").write_text("no model")
    (tmp_path / "sub").mkdir()
    for words, told in (
        ((tmp_path / "none.onnx", out), "there is no such model"),
        ((tmp_path, out), "this is a folder, not a model"),
        ((tmp_path / "empty.onnx", out), "empty file"),
        ((model, tmp_path / "file"), "the output folder is a file"),
        ((model, tmp_path / "file" / "x"), "the output folder cannot be created"),
        ((model, out, "fp16"), "no option --fp16"),
        ((model, out, "shapes=x:1xa"), "whole numbers"),
        ((model, out, "gizmo"), "no option --gizmo"),
        ((model, out, "--timeout", "-3"), "a number of 0 or more"),
        ((model, out, "-o", tmp_path / "none" / "x.json"), "the folder does not exist"),
        ((model, out, "-o", out / f"{model.name}.engine", "--format", "json"), "this is a file of the run"),
        ((model, out, "-o", out / "timing.cache", "--format", "json"), "this is a file of the run"),
        ((model, tmp_path, "-o", tmp_path / "sub", "--format", "json"), "this is a folder, not a file"),
    ):
        said = trex("process", *words, "--trtexec", trtexec, UNLOCKED)
        assert said.code == 2 and told in said.err, said.err
        assert "Traceback" not in said.err
    assert not out.exists()
    said = trex("process", tmp_path / "text.onnx", out, "--trtexec", trtexec, UNLOCKED)
    assert said.code == 1 and "the engine was not built (trtexec ended with 1)" in said.err
    assert str(out / "text.onnx.engine.failed" / "text.onnx.engine.build.log") in said.err
    said = trex("process", model, out, "--trtexec", trtexec, UNLOCKED, "--dev", "3")
    assert said.code == 1 and "device" in said.err
    said = trex("process", model, out, "--trtexec", tmp_path / "nothing")
    assert said.code == 2 and "there is no trtexec here" in said.err


def test_an_answer_into_a_folder_that_takes_none_is_refused_before_the_build(trex, model, out, tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda folder, mode: Path(folder) != tmp_path)
    said = trex("process", model, out, "--trtexec", tmp_path / "nothing", "-o", tmp_path / "x.json")
    assert said.code == 2 and "its folder is not writable" in said.err


def test_no_space_for_the_log(trex, model, out, make_trtexec):
    resource = pytest.importorskip("resource")
    trtexec = make_trtexec("10.4", chatter=2000)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))
    try:
        said = trex("process", model, out, "--trtexec", trtexec, UNLOCKED)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert said.code == 2 and "there is no space left for the log, so the run was stopped" in said.err
    assert [path.name for path in out.iterdir()] == [f"{model.name}.engine.failed"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to(trex, model, out, make_trtexec):
    out.mkdir(mode=0o555)
    said = trex("process", model, out, "--trtexec", make_trtexec("10.4"), UNLOCKED)
    assert said.code == 2 and "cannot be written to" in said.err


def test_ctrl_c_ends_all_that_was_started(model, out, tmp_path, make_trtexec):
    report = tmp_path / "pid"
    trtexec = make_trtexec("10.4", fault="hang", at="inference", child=str(report))
    command = [sys.executable, "-m", "trex", "process", str(model), str(out), "--trtexec", str(trtexec), UNLOCKED]
    running = subprocess.Popen(command, cwd=REPOSITORY, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert running.stderr is not None
    assert any("warm-up" in line for line in running.stderr)
    time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    out_text, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "stopped by SIGINT; the logs are in" in err and "Traceback" not in err + out_text
    assert is_gone(int(report.read_text()))
    aside = out / f"{model.name}.engine.failed"
    assert str(aside) in err and "Starting inference" in (aside / f"{model.name}.engine.profile.log").read_text()
    assert (out / f"{model.name}.engine").is_file()


def test_on_a_terminal_a_bar_and_what_trtexec_says(model, out, make_trtexec):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "trex", "process", str(model), str(out), UNLOCKED,
               "--trtexec", str(make_trtexec("10.4", pace=0.05, unstable=True))]  # fmt: skip
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "CI": "", "GITHUB_ACTIONS": ""}
    running = subprocess.Popen(command, cwd=REPOSITORY, stderr=theirs, stdout=subprocess.PIPE, env=environment)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # the other end is closed
        pass
    assert running.wait(60) == 0
    os.close(ours)
    assert running.stdout is not None
    running.stdout.close()
    text = shown.decode("utf-8", "replace")
    assert re.search(r"timing the tactics of layers: \d+ of 12", text)
    assert "GPU compute time is unstable" in text and "Starting inference" in text
    assert "Computing costs for" not in text  # verbose messages are for the log
