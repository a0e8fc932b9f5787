"""The command ``trex tactics``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.build_log_text import EARLY, MODERN
from tests.raw_records import chain, graph_file
from tests.real_builds import REAL_BUILDS
from tests.snapshot import check_snapshot

BUILD = """\
&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx
[V] [TRT] Engine generation completed in 1 seconds.
"""
KEPT = MODERN.replace("Chose this engine", "Skip this engine")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "build.log"
    path.write_text(KEPT, encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "text"), [("modern", KEPT), ("early_and_modern", EARLY + KEPT)])
def test_what_people_see(trex, log, monkeypatch, name, text):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(log.parent)
    log.write_text(text, encoding="utf-8")
    check_snapshot(f"tactics/{name}.txt", trex("tactics", "build.log").out)


def test_of_very_many_builds_the_first_are_shown(trex, log):
    log.write_text(BUILD * 60, encoding="utf-8")
    out = trex("tactics", str(log)).out
    assert "60 builds, the first 50 here: --build N shows one" in out and "Build 50 (" in out and "Build 51" not in out
    assert "build 60 of 60" in trex("tactics", str(log), "--build", "60").out


def test_one_build_of_several(trex, log):
    log.write_text(EARLY + KEPT, encoding="utf-8")
    said = trex("tactics", log, "--build", "2")
    assert said.code == 0 and "build 2 of 2" in said.out and "A shorter build" in said.out
    refused = trex("tactics", log, "--build", "3")
    assert refused.code == 2 and "--build takes one of 1 (build 1), 2 (m.onnx)" in refused.err


def test_candidates_and_story_of_a_layer(trex, log):
    said = trex("tactics", log, "--layer", "conv_0")
    assert said.code == 0 and "Conv_0 + Relu_1: Float(4,1:4,1) -> Half(4,1)" in said.out
    assert said.out.index("sm80_a") < said.out.index("sm80_b") and "ConvReluFusion" in said.out
    assert "workspace" in said.out
    refused = trex("tactics", log, "--layer", "conv")
    assert refused.code == 2 and "'Conv_0 + Relu_1'" in refused.err


def test_json_has_every_choice(trex, log):
    sections = json.loads(trex("tactics", log, "--json").out)["sections"]
    assert sections["build"]["data"]["timings"] == 6 and sections["build"]["data"]["ties"] == 2
    rows = sections["details"]["tables"]["choices"]["rows"]
    assert [row["tactic"] for row in rows] == ["0x00000000000000aa", "0x0000000000000bd1", "0x0000000000000000"]


def test_a_folder_and_its_log(trex, tmp_path, log):
    said = trex("tactics", tmp_path)
    assert said.code == 0 and said.out == trex("tactics", log).out
    log.unlink()
    (tmp_path / "m.graph.json").write_text('{"Layers": ["a"], "Bindings": []}', encoding="utf-8")
    refused = trex("tactics", tmp_path)
    assert refused.code == 2 and "no build log" in refused.err and "--verbose" in refused.err


def test_a_log_that_is_not_verbose(trex, tmp_path):
    log = tmp_path / "x.log"
    log.write_text("[01/02/2026-03:04:05] [I] [TRT] Engine generation completed in 1.5 seconds.\n", encoding="utf-8")
    said = trex("tactics", log)
    assert said.code == 0 and "contains no tactics" in said.out and "build with --verbose" in said.out


def test_a_log_of_the_real_builder(trex, tmp_path):
    """TensorRT for RTX, built here on a CPU, times no tactics."""
    REAL_BUILDS[0].write(tmp_path)
    said = trex("tactics", tmp_path)
    assert said.code == 0 and "no tactics were timed" in said.out, said.err
    assert "Phases: " in said.out and "Graph: " in said.out


def test_two_logs(trex, log, tmp_path):
    new = tmp_path / "new.log"
    new.write_text(KEPT, encoding="utf-8")
    same = trex("tactics", log, new)
    assert same.code == 0 and "All 3 common choices are the same." in same.out and "Inputs match" in same.out
    new.write_text(KEPT.replace("00000000000000aa", "00000000000000ab"), encoding="utf-8")
    other = trex("tactics", log, new)
    assert other.code == 1 and "1 of 3 common choices differs: no tie" in other.out
    assert "not timed by the other" in other.out
    new.write_text(EARLY, encoding="utf-8")
    nothing = trex("tactics", log, new)
    assert nothing.code == 3 and "nothing to compare" in nothing.out
    refused = trex("tactics", log, new, "--layer", "x")
    assert refused.code == 2 and "--layer shows one log" in refused.err
    assert trex("tactics", log, log, "--build", "2").code == 2


def test_two_builds_of_one_real_log(trex, shared_logs, tmp_path, monkeypatch):
    """Two builds of one network a second apart: one choice differs, beyond noise of 2 % in one of them."""
    lines = (shared_logs / "trt8.4-sparsity-python-verbose.log").read_bytes().splitlines(keepends=True)
    for index, part in enumerate((lines[:570], lines[570:])):
        (tmp_path / f"{index}.log").write_bytes(b"".join(part))
    monkeypatch.chdir(tmp_path)
    said = trex("tactics", "0.log", "1.log", "--json")
    data = json.loads(said.out)["sections"]["changes"]["data"]
    assert said.code == 1 and (data["changed"], data["ties"], data["input_differences"]) == (1, 0, [])


def test_caches(trex, log, shared_logs):
    cache, other = sorted((shared_logs.parent / "caches").glob("*.cache"))
    assert trex("tactics", cache, "-n", "3").out == trex("cache", "show", cache, "-n", "3").out
    assert trex("tactics", cache, cache).code == 0 and trex("tactics", cache, other).code == 3
    said = trex("tactics", log, cache)
    assert said.code == 1 and said.out == trex("tactics", cache, log).out
    refused = trex("tactics", log, cache, "--build", "7")
    assert refused.code == 2 and "--build takes one of 1" in refused.err
    assert json.loads(trex("tactics", cache, "--json").out)["schema"] == "trex.tactics/1"


def test_every_real_log(trex, shared_logs):
    """One screen, and nothing that a terminal obeys; what is no build says so."""
    for log in sorted(shared_logs.glob("*.log")):
        said = trex("tactics", log)
        assert said.code in (0, 2), log.name
        assert all(line.isprintable() for line in (said.out + said.err).split("\n")), log.name
        assert len(said.out.splitlines()) < 50, log.name
        assert said.code == 0 or "this is not the log of a build" in said.err, log.name


def test_a_log_of_another_engine_is_none_of_this_one(trex, log):
    log.write_text(KEPT.replace("m.onnx", "vgg16.onnx"), encoding="utf-8")
    graph_file(log.parent, chain("a", "b"), name="resnet50")
    refused = trex("tactics", log.parent)
    assert refused.code == 2 and "'vgg16.onnx'" in refused.err and "shows it anyway" in refused.err
    assert trex("tactics", log).code == 0
