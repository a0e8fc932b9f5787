"""trtexec's commands, in each release's spelling, from the facts in an engine's files."""

from __future__ import annotations

import shlex

import pytest

from trex.core.data_type import DataType
from trex.core.engine import Engine
from trex.core.metadata import Metadata
from trex.core.tensor import Binding, ShapeRange, Tensor
from trex.core.tensor_format import UNKNOWN_FORMAT
from trex.ingest.finding.engine_files import EngineFiles
from trex.ingest.trtexec_command import (
    NO_ENGINE,
    NO_MODEL,
    Recipe,
    build_command,
    logged,
    options_of,
    profile_command,
    recipe_of,
)

RECIPE = Recipe((10, 4), "net.engine", "net.onnx", "net")


def engine(*bindings: Binding, version: str = "") -> Engine:
    return Engine((), bindings, tensorrt_version=version)


def binding(name: str, shape, *profiles: ShapeRange, is_input: bool = True) -> Binding:
    tensor = Tensor(name, shape, DataType.FP32, UNKNOWN_FORMAT, None, "", {})
    return Binding(name, is_input, tensor, profiles)


def at(release) -> Recipe:
    return Recipe(release, "net.engine", "net.onnx", "net")


def words(command: str) -> list[str]:
    return shlex.split(command)[1:]


@pytest.mark.parametrize("release", [None, (8, 2), (8, 4), (8, 6), (9, 3), (10, 0), (10, 16)])
def test_until_10_16_the_profile_needs_a_run_of_its_own_or_the_times_are_lost(release):
    assert "--separateProfileRun" in words(profile_command(at(release)))


def test_in_11_what_became_the_default_is_left_out():
    result = words(profile_command(at((11, 0))))
    assert not {"--separateProfileRun", "--noDataTransfers", "--useSpinWait", "--useCudaGraph"} & set(result)
    assert {"--exportProfile=net.profile.json", "--exportTimes=net.timing.json"} <= set(result)


def test_only_what_is_missing_is_exported():
    assert words(profile_command(RECIPE, graph=True, profile=False, times=False)) == [
        "--loadEngine=net.engine",
        "--profilingVerbosity=detailed",
        "--exportLayerInfo=net.graph.json",
    ]
    times = words(profile_command(RECIPE, graph=False, profile=False, times=True))
    assert "--exportTimes=net.timing.json" in times
    assert "--separateProfileRun" not in times


@pytest.mark.parametrize(
    ("release", "flag"),
    [
        ((8, 2), "--buildOnly"),
        ((8, 5), "--buildOnly"),
        ((8, 6), "--skipInference"),
        ((10, 4), "--skipInference"),
        ((11, 1), "--skipInference"),
    ],
)
def test_a_build_that_does_not_run_is_spelled_as_the_release_does(release, flag):
    result = words(build_command(at(release)))
    assert result[-1] == flag
    assert "--profilingVerbosity=detailed" in result


def test_without_a_release_nothing_is_written_that_some_release_lacks():
    result = words(build_command(at(None)))
    assert result == ["--onnx=net.onnx", "--saveEngine=net.engine", "--profilingVerbosity=detailed"]


def build_data(**options: str) -> Metadata:
    return Metadata(build_options=options, model_options={"Model": "models/net.onnx"}, tensorrt_version="10.4.0")


def recipe(build: Metadata, version: str = "10.4.0", files: EngineFiles | None = None) -> Recipe:
    return recipe_of(files or EngineFiles("net"), engine(version=version), Metadata(), build)


def test_precisions_of_the_known_build_are_asked_for_again():
    build = build_data(Precision="FP32+FP16+INT8 (obey precision constraints)")
    assert recipe(build).build_flags == ("--fp16", "--int8", "--precisionConstraints=obey")
    assert recipe(build_data(Precision="Strongly Typed")).build_flags == ("--stronglyTyped",)


def test_in_11_there_are_no_precision_flags():
    assert recipe(build_data(Precision="Strongly Typed"), "11.1.0").build_flags == ()
    assert recipe(build_data(Precision="FP32+FP16"), "11.1.0").build_flags == ()


@pytest.mark.parametrize(
    ("version", "flag"),
    [
        ("8.2.1", "--workspace=1024"),
        ("8.4.1", "--memPoolSize=workspace:1024"),
        ("10.4", "--memPoolSize=workspace:1024"),
    ],
)
def test_the_workspace_is_a_number_of_mib_without_a_unit(version, flag):
    build = build_data(**{"Memory Pools": "workspace: 1024 MiB, dlaSRAM: default"})
    assert recipe(build, version).build_flags == (flag,)


@pytest.mark.parametrize("pools", ["workspace: default, dlaSRAM: default", "workspace", "workspace: 0.000976562 MiB"])
def test_a_default_workspace_is_left_out(pools):
    assert recipe(build_data(**{"Memory Pools": pools})).build_flags == ()


def test_paths_on_this_disk_win_and_new_files_go_next_to_them():
    files = EngineFiles("net", engine="out/net.plan", onnx="models/net.onnx")
    result = recipe(build_data(**{"Save engine": "elsewhere/net.engine"}), files=files)
    assert (result.engine, result.onnx) == ("out/net.plan", "models/net.onnx")
    assert "--exportLayerInfo=out/net.graph.json" in words(profile_command(result))


def test_paths_from_the_metadata():
    result = recipe(build_data(**{"Save engine": "out/net.engine"}))
    assert (result.engine, result.onnx, result.stem) == ("out/net.engine", "models/net.onnx", "net")


def test_a_path_cut_at_its_colon_is_none():
    assert recipe(build_data(**{"Save engine": "C"})).engine == NO_ENGINE


def test_a_name_that_is_an_engines_file_name_is_taken_for_it():
    assert recipe_of(EngineFiles("net.onnx.engine")).engine == "net.onnx.engine"
    unknown = recipe_of(EngineFiles("net"))
    assert (unknown.engine, unknown.onnx) == (NO_ENGINE, NO_MODEL)
    assert "--saveEngine=net.engine" in words(build_command(unknown))


def test_names_are_quoted_for_the_shell():
    result = Recipe(None, "it's $(rm).engine", "a b.onnx", "my net;")
    assert "--loadEngine=it's $(rm).engine" in words(profile_command(result))
    assert "--onnx=a b.onnx" in words(build_command(result))
    assert logged("trtexec", result).endswith("tee 'my net;'.profile.log")


BUILD_LINE = (
    "trtexec --onnx=net.onnx --minShapes=x:1x3 --optShapes=x:4x3 --maxShapes=x:16x3 --memPoolSize=workspace:1024MiB "
    "--saveEngine=net.plan --shapes=x:4x3 --verbose --fp16 --dumpProfile --useCudaGraph"
)


def test_the_logged_build_is_repeated_with_its_own_options():
    build = Metadata(command_line=BUILD_LINE, build_options={"Precision": "FP32+INT8"})
    result = words(build_command(recipe_of(EngineFiles("log"), engine(version="10.16.0"), Metadata(), build)))
    assert result == [
        "--onnx=net.onnx",
        "--saveEngine=net.plan",
        "--profilingVerbosity=detailed",
        "--minShapes=x:1x3",
        "--optShapes=x:4x3",
        "--maxShapes=x:16x3",
        "--memPoolSize=workspace:1024",
        "--shapes=x:4x3",
        "--fp16",
        "--skipInference",
    ]


def test_no_option_stands_twice():
    line = "trtexec --loadEngine=a.plan --useSpinWait --noDataTransfers --exportTimes=t.json --shapes=x:1"
    result = words(profile_command(recipe_of(EngineFiles("log"), None, Metadata(command_line=line))))
    names = [word.partition("=")[0] for word in result]
    assert len(names) == len(set(names))
    assert "--loadEngine=a.plan" in result
    assert "--shapes=x:1" in result


def test_the_run_in_the_log_is_measured_again_in_the_same_way():
    line = "trtexec --loadEngine=a.plan --useCudaGraph --plugins=x.so --iterations=7 --verbose --dumpOutput"
    result = words(profile_command(recipe_of(EngineFiles("log"), None, Metadata(command_line=line))))
    assert {"--useCudaGraph", "--plugins=x.so", "--iterations=7"} <= set(result)
    assert not {"--verbose", "--dumpOutput"} & set(result)


def test_a_command_line_with_blanks_in_its_arguments_is_not_guessed_at():
    assert options_of("trtexec --onnx=my model.onnx --fp16") == ()
    assert options_of("trtexec --onnx=m.onnx --fp16") == (("onnx", "m.onnx"), ("fp16", ""))
    assert options_of("") == ()


def test_shapes_of_several_profiles_keep_their_groups_and_order():
    line = "trtexec --onnx=m.onnx --profile=0 --minShapes=x:1 --profile=1 --minShapes=x:9"
    build = Metadata(command_line=line)
    result = words(build_command(recipe_of(EngineFiles("log"), None, Metadata(), build)))
    assert result[3:] == ["--profile=0", "--minShapes=x:1", "--profile=1", "--minShapes=x:9"]


def test_ranges_of_the_engine_become_its_profiles():
    one = ShapeRange((1, 3), (4, 3), (8, 3))
    two = ShapeRange((9, 3), (12, 3), (16, 3))
    single = recipe_of(EngineFiles("net"), engine(binding("x", (None, 3), one), version="8.6.1"))
    assert single.build_flags == ("--minShapes=x:1x3", "--optShapes=x:4x3", "--maxShapes=x:8x3")
    both = recipe_of(EngineFiles("net"), engine(binding("x", (None, 3), one, two), version="10.4.0"))
    assert both.build_flags == (
        *("--profile=0", "--minShapes=x:1x3", "--optShapes=x:4x3", "--maxShapes=x:8x3"),
        *("--profile=1", "--minShapes=x:9x3", "--optShapes=x:12x3", "--maxShapes=x:16x3"),
    )


def test_dynamic_inputs_get_the_shapes_that_are_known_best():
    ranged = binding("x", (None, 3), ShapeRange((1, 3), (4, 3), (8, 3)))
    output = binding("y", (None, 5), is_input=False)
    assert recipe_of(EngineFiles("net"), engine(ranged, output)).run_flags == ("--shapes=x:4x3",)
    run = Metadata(inference_options={"Input inference shape": "x=6x3"})
    assert recipe_of(EngineFiles("net"), engine(ranged, output), run).run_flags == ("--shapes=x:6x3",)
    assert recipe_of(EngineFiles("net"), engine(binding("x", (None, 3)))).run_flags == ("--shapes=x:Nx3",)
    assert recipe_of(EngineFiles("net"), engine(binding("x", (2, 3)))).run_flags == ()
