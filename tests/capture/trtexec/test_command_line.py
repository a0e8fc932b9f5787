"""The two command lines of every release, checked with the mock's parser."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.mocks import RELEASES, write_model
from tests.mocks.arguments import BadValue, parse
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs, engine_release, outputs_of
from trex.capture.trtexec.command_line import CommandLine, command_line
from trex.capture.trtexec.find import ask_trtexec
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.ingest.spelling.trtexec_options import OPTIONS, OptionValue

ALL = tuple((int(major), int(minor)) for major, _, minor in (text.partition(".") for text in RELEASES))
IDS = tuple(RELEASES)
OUTPUTS = Outputs(Path(), "m", Path("m.engine"), Path("m.onnx"))
VALUES = {
    "profilingVerbosity": "detailed", "nvtxMode": "verbose", "precisionConstraints": "obey", "sparsity": "enable",
    "allocationStrategy": "static", "useProfile": "0", "runtimePlatform": "SameAsBuild",
    "preview": "+x", "profile": "0", "useRuntime": "full",
}  # fmt: skip


def line(release: tuple[int, ...], *words: str, **options: Any) -> CommandLine:
    return command_line(CaptureOptions("m.onnx", "out", words, **options), release)


def both(command: CommandLine) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return command.build(OUTPUTS), command.profile(OUTPUTS)


def word_for(name: str, release: tuple[int, ...]) -> str:
    kind = OPTIONS[name].value
    value = {
        OptionValue.SWITCH: "", OptionValue.NUMBER: "1", OptionValue.TEXT: "x:y", OptionValue.FILE: "a file",
        OptionValue.SHAPES: "x:1x3", OptionValue.POOLS: "workspace:64MiB",
        OptionValue.FORMATS: "chw" if release >= (11, 0) else "fp16:chw",
    }[kind]  # fmt: skip
    value = VALUES.get(name, value)
    return f"{name}={value}" if value else name


def assert_parses(command: CommandLine) -> None:
    """The release parses both lines to the last word, and nothing is given twice that it takes once."""
    release = (command.release[0], command.release[1])
    for words in both(command):
        parsed = parse(list(words), release)
        assert not parsed.unknown, (command.release, parsed.unknown)
        names = [word.partition("=")[0][2:] for word in words]
        for name in set(names):
            option = OPTIONS[name]
            assert option.is_parsed_by(release), name
            assert names.count(name) == 1 or option.may_repeat(release), name
            assert not option.has_no_effect(release), name


def test_an_argument_that_overrides_an_option_is_noted() -> None:
    given = {"iterations": 20, "warm_up": 5, "duration": 1, "dev": 2, "workspace": 64, "timing_cache": "a"}
    words = ("iterations=7", "warmUp=0", "duration=9", "device=1", "memPoolSize=workspace:32MiB", "timingCacheFile=b")
    command = line((10, 4), *words, **given)
    assert [note.code for note in command.notes] == ["option-overridden"] * 6
    assert command.notes[0].message == "iterations=7 overrides --iterations 20"
    assert command.notes[4].message == "memPoolSize=workspace:32 overrides --workspace 64"
    assert {"--iterations=7", "--device=1"} <= set(both(command)[1]) and "--memPoolSize=workspace:32" in both(command)[
        0
    ]
    same = ("iterations=20", "device=2", "memPoolSize=workspace:64,dlaSRAM:1")
    assert not line((10, 4), *same, iterations=20, dev=2, workspace=64).notes
    assert line((8, 2), "workspace=32", workspace=64).notes[-1].message.endswith("overrides --workspace 64")


def test_an_argument_that_contradicts_an_opt_out_is_refused() -> None:
    for command in (partial(line, no_cuda_graph=True), partial(line)):
        more = () if command.keywords else ("noCudaGraph",)
        with pytest.raises(TrexError, match="--noCudaGraph and useCudaGraph contradict each other"):
            command((10, 4), "--useCudaGraph", *more)


@pytest.mark.parametrize("release", ALL, ids=IDS)
def test_the_lines_of_a_release(release: tuple[int, int]) -> None:
    assert_parses(line(release))
    build, profile = both(line(release))
    assert {"--onnx=m.onnx", "--saveEngine=m.engine", "--profilingVerbosity=detailed", "--verbose"} <= set(build)
    assert ("--buildOnly" in build, "--skipInference" in build) == (release < (8, 6), release >= (8, 6))
    assert ("--workspace=8192" in build) == (release < (8, 4))
    assert {"--loadEngine=m.engine", "--profilingVerbosity=detailed", "--dumpProfile", "--exportTimes=m.timing.json",
            "--exportProfile=m.profile.json", "--exportLayerInfo=m.graph.json"} <= set(profile)  # fmt: skip
    defaults = {"--useCudaGraph", "--useSpinWait", "--noDataTransfers", "--separateProfileRun"}
    assert defaults & set(profile) == (defaults if release < (11, 0) else set())
    assert not any(word.startswith("--onnx") for word in profile)


@pytest.mark.parametrize("release", ALL, ids=IDS)
@pytest.mark.parametrize("as_words", [False, True])
def test_a_measurement_is_undone_on_every_release(release: tuple[int, int], as_words: bool) -> None:
    if as_words:
        command = line(release, "noCudaGraph", "noSpinWait", "includeDataTransfers")
    else:
        command = line(release, no_cuda_graph=True, no_spin_wait=True, include_data_transfers=True)
    assert_parses(command)
    profile = set(both(command)[1])
    assert not profile & {"--useCudaGraph", "--useSpinWait", "--noDataTransfers"}
    assert (profile >= {"--noCudaGraph", "--noSpinWait", "--includeDataTransfers"}) == (release >= (11, 0))


@pytest.mark.parametrize("release", ALL, ids=IDS)
def test_every_option_alone(release: tuple[int, int]) -> None:
    """trex or trtexec refuses it, or both lines parse."""
    taken = 0
    for name, option in OPTIONS.items():
        try:
            command = line(release, word_for(name, release))
        except TrexError as error:
            assert f"--{name}" in error.message, error
            continue
        assert option.is_parsed_by(release) or name.startswith(("noCuda", "noSpin", "includeData"))
        try:
            assert_parses(command)
        except BadValue:  # it needs another option, as trtexec says clearly
            continue
        taken += 1
    assert taken > 45


def plausible(release: tuple[int, int]) -> list[str]:
    names = []
    for name in OPTIONS:
        try:
            line(release, word_for(name, release))
        except TrexError:
            continue
        names.append(name)
    return names


PLAUSIBLE = {release: plausible(release) for release in ALL}


@st.composite
def requests(draw: Callable[..., Any]) -> tuple[tuple[int, int], list[str], dict[str, Any]]:
    release = draw(st.sampled_from(ALL))
    names = draw(st.lists(st.sampled_from(PLAUSIBLE[release]), max_size=14))
    words = [
        word_for(name, release) for name in names if name not in ("profile", "minShapes", "optShapes", "maxShapes")
    ]
    groups = draw(st.integers(0, 3 if release >= (9, 0) else 1))
    for index in range(groups):
        if groups > 1 or (draw(st.booleans()) and release >= (9, 0)):
            words.append(f"profile={index}")
        words += [f"{kind}Shapes=x:{size}x3" for kind, size in (("min", 1), ("opt", 1 + index), ("max", 4))]
    options = {
        "workspace": draw(st.sampled_from((0, 512))), "iterations": draw(st.sampled_from((0, 20))),
        "dev": draw(st.sampled_from((0, 2))), "no_cuda_graph": draw(st.booleans()),
        "include_data_transfers": draw(st.booleans()),
    }  # fmt: skip
    return release, words, options


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(requests())
def test_any_words_that_are_taken_parse(request: tuple[tuple[int, int], list[str], dict[str, Any]]) -> None:
    release, words, options = request
    try:
        command = line(release, *words, **options)
        assert_parses(command)
    except (TrexError, BadValue):  # options that contradict each other
        return
    build = both(command)[0]
    shapes = [word for word in build if word.startswith(("--profile=", "--minShapes=", "--optShapes=", "--maxShapes="))]
    assert shapes == [option.text for option in command.arguments.profile_options]


def test_where_the_words_go() -> None:
    words = (
        "int8",
        "fp16",
        "shapes=x:1x3",
        "iterations=5",
        "plugins=a.so",
        "avgRuns=20",
        "sparsity=enable",
        "device=1",
    )
    build, profile = both(line((8, 6), *words))
    for_both = {"--shapes=x:1x3", "--plugins=a.so", "--device=1"}
    assert for_both | {"--int8", "--fp16", "--sparsity=enable"} <= set(build)
    assert for_both | {"--iterations=5", "--avgRuns=20"} <= set(profile)
    assert not {"--iterations=5", "--avgRuns=20"} & set(build) and not {"--int8", "--fp16"} & set(profile)


def test_the_users_words_go_before_ours() -> None:
    words = ("profilingVerbosity=none", "timingCacheFile=mine", "verbose", "device=2", "iterations=7")
    command = line((10, 4), *words, dev=1, iterations=3)
    build, profile = both(command)
    assert [word for word in build if "Verbosity" in word] == ["--profilingVerbosity=none"]
    assert "--timingCacheFile=mine" in build and "--timingCacheFile=timing.cache" not in build
    assert build.count("--verbose") == 1 and "--device=2" in build and "--device=1" not in build
    assert "--iterations=7" in profile and "--iterations=3" not in profile
    assert "--nvtxMode=verbose" in both(line((8, 6), "nvtxMode=verbose"))[0]
    assert not any("profilingVerbosity" in word for word in both(line((8, 6), "nvtxMode=verbose"))[0])


def test_shapes_of_a_profile_are_those_of_the_run() -> None:
    words = ("profile=0", "optShapes=x:1x3", "profile=1", "minShapes=x:2x3", "optShapes=x:4x3", "maxShapes=x:8x3")
    build, profile = both(line((10, 4), *words, "useProfile=1"))
    assert build[-6:] == tuple(f"--{word}" for word in words)
    assert "--shapes=x:4x3" in profile and "--useProfile=1" in profile
    assert not any(word.startswith("--shapes") for word in build)
    build, profile = both(line((10, 4), *words, "shapes=x:1x3"))
    assert "--shapes=x:1x3" in profile and not any(word.startswith("--shapes") for word in build)


@pytest.mark.parametrize(
    ("release", "words", "expected"),
    [
        ((8, 2), (), "--workspace=512"),
        ((8, 4), (), "--memPoolSize=workspace:512"),
        ((10, 4), ("memPoolSize=dlaSRAM:1",), "--memPoolSize=workspace:512,dlaSRAM:1"),
        ((10, 4), ("memPoolSize=workspace:1GiB",), "--memPoolSize=workspace:1024"),
        ((8, 6), ("workspace=99",), "--workspace=99"),
    ],
)
def test_the_workspace(release: tuple[int, int], words: tuple[str, ...], expected: str) -> None:
    build = both(line(release, *words, workspace=512))[0]
    assert [word for word in build if "workspace" in word] == [expected]


def test_names_with_blanks_and_commas_stay_whole() -> None:
    command = line((10, 4), "plugins=/a b/ü,c.so")
    build = command.build(Outputs(Path(), "m", Path("an engine"), Path("my model ü.onnx")))
    assert {"--onnx=my model ü.onnx", "--saveEngine=an engine", "--plugins=/a b/ü,c.so"} <= set(build)


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_both_lines_run(release: str, tmp_path: Path, make_trtexec: Callable[..., Path]) -> None:
    """From a trtexec that is asked for its release to artifacts that load as one engine."""
    trtexec = ask_trtexec(str(make_trtexec(release)))
    words = ("fp16", "shapes=my input:2x3x8x8") if trtexec.release < (11, 0) else ("shapes=my input:2x3x8x8",)
    command = command_line(CaptureOptions("a model.onnx", "out", words), trtexec.release, trtexec.listed)
    model = write_model(tmp_path / "a model.onnx")
    o = outputs_of(str(model), str(tmp_path))
    build, profile = command.build(o), command.profile(o)
    for arguments in (build, profile):
        done = subprocess.run([trtexec.path, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    plan = load(o.graph)
    assert plan.total_runtime > 0 and plan.engine.bindings[0].name == "my input"
    assert engine_release(o.engine) == (trtexec.release if trtexec.release >= (8, 6) else None)
