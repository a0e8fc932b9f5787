"""The mock trtexec: parses as each release does, fails in its way, and exports what loads."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.mocks import RELEASES, write_model, write_trtexec
from tests.mocks.arguments import BadValue, parse
from tests.mocks.network import read_plan
from trex.engine_plan import load

# Whole runs: too long for the check between two edits.
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("terminal_signals")]

BANNER = re.compile(r"&&&& RUNNING TensorRT\.trtexec \[TensorRT v(\d+)\](?: \[b(\d+)\])? # (.*)")
SOME = ("8.2", "8.6", "10.4", "11.1")


def pair(release: str) -> tuple[int, int]:
    major, _, minor = release.partition(".")
    return int(major), int(minor)


def run(program: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *words], capture_output=True, text=True, errors="replace", env=environment or None, timeout=60
    )


def skip_flag(release: str) -> str:
    return "--buildOnly" if pair(release) < (8, 6) else "--skipInference"


def build_words(folder: Path, release: str, *more: str) -> list[str]:
    model = write_model(folder / "m.onnx")
    return [f"--onnx={model}", f"--saveEngine={folder / 'm.engine'}", "--profilingVerbosity=detailed",
            skip_flag(release), *more]  # fmt: skip


def run_words(folder: Path, release: str, *more: str) -> list[str]:
    separate = [] if pair(release) >= (11, 0) else ["--separateProfileRun"]
    exports = [f"--export{kind}={folder / f'm.{end}.json'}" for kind, end in
               (("Times", "timing"), ("Profile", "profile"), ("LayerInfo", "graph"))]  # fmt: skip
    loaded = f"--loadEngine={folder / 'm.engine'}"
    return [loaded, "--profilingVerbosity=detailed", "--dumpProfile", *separate, *exports, *more]


@pytest.mark.parametrize("release", RELEASES)
def test_build_and_run_export_an_engine_that_loads(
    release: str, tmp_path: Path, make_trtexec: Callable[..., Path]
) -> None:
    program = make_trtexec(release)
    built = run(program, *build_words(tmp_path, release, "--verbose"))
    assert built.returncode == 0, built.stderr
    assert f"[I] TensorRT version: {RELEASES[release]}" in built.stdout
    assert built.stdout.splitlines()[-1].startswith("&&&& PASSED TensorRT.trtexec")
    ran = run(program, *run_words(tmp_path, release))
    assert ran.returncode == 0, ran.stderr
    (tmp_path / "m.profile.log").write_text(ran.stdout)
    plan = load(tmp_path / "m.graph.json")
    assert len(plan.working_layers) >= 11
    assert plan.total_runtime > 0


@pytest.mark.parametrize("release", RELEASES)
def test_help_lists_the_options_and_begins_with_the_banner(release: str, make_trtexec: Callable[..., Path]) -> None:
    shown = run(make_trtexec(release), "--help")
    assert shown.returncode == 0 and not shown.stderr
    lines = shown.stdout.splitlines()
    match = BANNER.fullmatch(lines[0])
    assert match is not None and (match[2] is not None) == (pair(release) >= (10, 4))
    assert ("--fp16" in shown.stdout) == (pair(release) < (11, 0))
    assert not lines[-1].startswith("&&&&")
    alone = run(make_trtexec(release))
    assert alone.returncode == 0
    assert alone.stdout.splitlines()[-1].startswith("&&&& PASSED") == (release != "11.1")


@pytest.mark.parametrize("release", RELEASES)
def test_an_unknown_option_ends_the_run_as_in_that_release(
    release: str, tmp_path: Path, make_trtexec: Callable[..., Path]
) -> None:
    gone = "--fp16" if pair(release) >= (11, 0) else "--noCudaGraph"
    done = run(make_trtexec(release), *build_words(tmp_path, release, gone))
    assert done.returncode == 1
    assert re.search(rf"\[E\] Unknown option: {gone} ", done.stderr)
    assert "=== Device Information" not in done.stdout and "--onnx=<file>" in done.stdout
    assert ("&&&& FAILED" in done.stdout) == (release != "11.1")
    assert not (tmp_path / "m.engine").exists()


def test_the_complaint_comes_before_the_help_until_9(tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    for release, is_first in (("9.3", True), ("10.0", False)):
        command = [str(make_trtexec(release)), "--onnx=x", "--gizmo"]
        text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        assert (text.index("Unknown option: --gizmo") < text.index("=== Model Options")) == is_first


@pytest.mark.parametrize(
    ("words", "release", "unknown"),
    [
        (["--fp16", "--fp16"], "10.4", ["--fp16"]),
        (["--plugins=a", "--plugins=b"], "10.4", []),
        (["--fp16"], "11.0", ["--fp16"]),
        (["--workspace=1"], "10.0", ["--workspace"]),
        (["--workspace=1"], "9.3", []),
        (["--iterations", "10"], "8.6", ["10"]),
        (["--optShapes=x:1", "--optShapes=x:2"], "8.6", ["--optShapes"]),
        (["--profile=0", "--optShapes=x:1", "--profile=1", "--optShapes=x:2"], "9.3", []),
        (["--separateProfileRun"], "11.1", []),
    ],
)
def test_what_is_left_over(words: Sequence[str], release: str, unknown: list[str]) -> None:
    if "10" in unknown:
        with pytest.raises(BadValue):
            parse(["--onnx=m", *words], pair(release))
        return
    assert [key for key, _ in parse(["--onnx=m", *words], pair(release)).unknown] == unknown


@pytest.mark.parametrize(
    ("words", "release"),
    [
        (["--optShapes=x:1", "--optShapes=x:2"], "9.3"),
        (["--minShapes=x:1"], "8.6"),
        (["--profile=1", "--optShapes=x:1"], "9.3"),
        (["--memPoolSize=gizmo:1"], "8.4"),
        (["--inputIOFormats=fp16:chw"], "11.0"),
        (["--inputIOFormats=chw"], "10.16"),
        (["--profilingVerbosity=loud"], "8.2"),
        (["--best", "--stronglyTyped"], "10.0"),
        (["--weightStreamingBudget=1"], "10.0"),
        (["--shapes=x:axb"], "8.2"),
        (["--loadEngine=a", "--saveEngine=b"], "8.2"),
    ],
)
def test_values_that_the_parser_refuses(words: list[str], release: str) -> None:
    with pytest.raises(BadValue):
        parse(["--onnx=m", *words], pair(release))


@pytest.mark.parametrize(("release", "mib"), [("8.4", 1024.0), ("10.0", 1024.0), ("10.1", 2**-10), ("10.16", 2**-10)])
def test_the_unit_of_a_memory_pool(release: str, mib: float) -> None:
    assert parse(["--onnx=m", "--memPoolSize=workspace:1024MiB"], pair(release)).pools == {"workspace": mib}
    assert parse(["--onnx=m", "--memPoolSize=workspace:512"], pair(release)).pools == {"workspace": 512.0}


@pytest.mark.parametrize("release", SOME)
def test_a_profile_without_its_own_run_costs_the_times(
    release: str, tmp_path: Path, make_trtexec: Callable[..., Path]
) -> None:
    program = make_trtexec(release)
    run(program, *build_words(tmp_path, release))
    words = [word for word in run_words(tmp_path, release) if word != "--separateProfileRun"]
    done = run(program, *words)
    assert done.returncode == 0
    reports = release in ("8.2", "11.1")
    assert (tmp_path / "m.timing.json").exists() == reports
    assert ("=== Performance summary ===" in done.stdout) == reports
    assert (tmp_path / "m.profile.json").exists()


def test_layer_names_only_engines_tell_names_only(tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    program = make_trtexec("10.4")
    words = [word for word in build_words(tmp_path, "10.4") if "profilingVerbosity" not in word]
    run(program, *words)
    run(program, *run_words(tmp_path, "10.4"))
    layers = json.loads((tmp_path / "m.graph.json").read_text())["Layers"]
    assert layers and all(isinstance(layer, str) for layer in layers)


def test_without_a_context_dynamic_dimensions_are_not_known(tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    program = make_trtexec("10.16")
    words = build_words(tmp_path, "10.16", f"--exportLayerInfo={tmp_path / 'b.graph.json'}",
                        "--minShapes=x:1x3x8x8", "--optShapes=x:4x3x8x8", "--maxShapes=x:8x3x8x8")  # fmt: skip
    assert run(program, *words).returncode == 0
    assert run(program, *run_words(tmp_path, "10.16", "--shapes=x:2x3x8x8")).returncode == 0
    before, after = (
        json.loads((tmp_path / name).read_text())["Layers"][0] for name in ("b.graph.json", "m.graph.json")
    )
    assert before["Inputs"][0]["Dimensions"] == [-1, 3, 8, 8]
    assert before["Inputs"][0]["Format/Datatype"] == "Float"
    assert after["Inputs"][0] == {"Name": "x", "Location": "Device", "Dimensions": [2, 3, 8, 8],
                                  "Format/Datatype": "Row major linear FP32"}  # fmt: skip


def test_names_in_the_profile_are_not_escaped(tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    program = make_trtexec("10.4")
    words = build_words(tmp_path, "10.4")
    write_model(tmp_path / "m.onnx", names=['a "quoted"\x1fname', "back\\slash"])
    run(program, *words)
    run(program, *run_words(tmp_path, "10.4"))
    text = (tmp_path / "m.profile.json").read_text()
    assert '"name" : "a "quoted"\x1fname", "timeMs"' in text
    assert load(tmp_path / "m.graph.json").total_runtime > 0


@pytest.mark.parametrize("release", SOME)
def test_an_engine_of_another_release_does_not_load(
    release: str, tmp_path: Path, make_trtexec: Callable[..., Path]
) -> None:
    run(make_trtexec("10.0"), *build_words(tmp_path, "10.0"))
    done = run(make_trtexec(release), *run_words(tmp_path, release))
    assert done.returncode == 1
    assert "Version tag does not match" in done.stderr
    assert "&&&& FAILED" in done.stdout


def test_plan_headers(tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    run(make_trtexec("8.5"), *build_words(tmp_path, "8.5"))
    assert not (tmp_path / "m.engine").read_bytes().startswith(b"ftrt")
    run(make_trtexec("10.16"), *build_words(tmp_path, "10.16", "--fp16"))
    data = (tmp_path / "m.engine").read_bytes()
    assert data[:8] == b"ftrt\0\0\0\0" and tuple(data[24:27]) == (10, 16, 1)
    assert read_plan(data)[0].type == "FP16"


@pytest.mark.parametrize(
    ("model", "message"), [(None, "Could not open file"), (b"not a model", "Failed to parse ONNX model")]
)
def test_models_that_cannot_be_read(
    model: bytes | None, message: str, tmp_path: Path, make_trtexec: Callable[..., Path]
) -> None:
    words = build_words(tmp_path, "10.4")
    (tmp_path / "m.onnx").unlink()
    if model is not None:
        (tmp_path / "m.onnx").write_bytes(model)
    done = run(make_trtexec("10.4"), *words)
    assert done.returncode == 1
    assert message in done.stderr and "Engine set up failed" in done.stderr
    assert not (tmp_path / "m.engine").exists()


def test_a_shape_for_an_input_that_is_not_there(tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    words = build_words(tmp_path, "10.4", "--shapes=y:1x3x8x8")
    write_model(tmp_path / "m.onnx", inputs={"x": [-1, 3, 8, 8]})
    done = run(make_trtexec("10.4"), *words)
    assert done.returncode == 1 and 'Cannot find input tensor with name "y"' in done.stderr


@pytest.mark.parametrize("release", ["8.6", "11.1"])
def test_warnings_and_errors_go_to_stderr(release: str, tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    old = "--streams=1"
    done = run(make_trtexec(release, fault="fail"), *build_words(tmp_path, release, "--verbose", old))
    severities = re.compile(r"^\[[^\]]+\] \[([VIWE])\]", re.MULTILINE)
    assert set(severities.findall(done.stdout)) == {"V", "I"}
    assert set(severities.findall(done.stderr)) == {"W", "E"}
    assert len(done.stderr.splitlines()) == len(severities.findall(done.stderr))


@pytest.mark.parametrize("phase", ["parse", "build"])
def test_trtexec_fails_in_a_phase(phase: str, tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    done = run(make_trtexec("10.4", fault="fail", at=phase), *build_words(tmp_path, "10.4", "--verbose"))
    assert done.returncode == 1 and "Engine set up failed" in done.stderr
    assert done.stdout.splitlines()[-1].startswith("&&&& FAILED")


@pytest.mark.parametrize(
    ("fault", "code"), [("exit:137", 137), ("signal:11", -11), ("partial", -signal.SIGKILL), ("garbage", 0)]
)
def test_other_ways_to_end(fault: str, code: int, tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    done = run(make_trtexec("10.4", fault=fault), *build_words(tmp_path, "10.4"))
    assert done.returncode == code
    assert ("&&&&" in done.stdout.splitlines()[-1]) == (code == 0)


def test_no_space_for_the_engine(tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    program = make_trtexec("10.4", fault="no-space", at="serialize")
    done = run(program, *build_words(tmp_path, "10.4"))
    assert done.returncode == 1 and "Saving engine to file failed." in done.stderr
    assert (tmp_path / "m.engine").stat().st_size > 0


def test_no_space_for_the_exports_goes_unnoticed(tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    run(make_trtexec("10.4"), *build_words(tmp_path, "10.4"))
    done = run(make_trtexec("10.4", fault="no-space", at="export"), *run_words(tmp_path, "10.4"))
    assert done.returncode == 0
    with pytest.raises(json.JSONDecodeError):
        json.loads((tmp_path / "m.graph.json").read_text())


@pytest.mark.parametrize("release", ["8.6", "10.4"])
def test_a_device_that_is_not_there(release: str, tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    for program, words in ((make_trtexec(release), ["--device=3"]), (make_trtexec(release, no_gpu=True), [])):
        done = run(program, *build_words(tmp_path, release, *words))
        assert done.returncode == 1 and "&&&& FAILED" not in done.stdout
        assert "Cuda failure: " in done.stderr or "Cannot find device ID 3!" in done.stdout


def test_a_variable_chooses_the_fault_too(tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    done = run(make_trtexec("10.4"), *build_words(tmp_path, "10.4"), TREX_MOCK='{"fault": "exit:9", "at": "parse"}')
    assert done.returncode == 9


def test_it_hangs_until_it_is_interrupted(tmp_path: Path) -> None:
    program = write_trtexec(tmp_path / "bin", "10.4", fault="hang", at="options")
    child = subprocess.Popen([program, *build_words(tmp_path, "10.4")], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert any("Export profile" in line for line in child.stdout)
    time.sleep(0.05)
    assert child.poll() is None
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=30) == -signal.SIGINT
    child.stdout.close()
