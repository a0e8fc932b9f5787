"""Options for trtexec against a release: what is passed on, what is refused, and with which message."""

from __future__ import annotations

import pytest

from trex.capture.trtexec.shapes import parse_shapes
from trex.capture.trtexec.user_options import Arguments, parse_arguments
from trex.core.errors import TrexError

ALL = ((8, 2), (8, 4), (8, 5), (8, 6), (9, 3), (10, 0), (10, 4), (10, 16), (11, 0), (11, 1))


def texts(arguments: Arguments) -> list[str]:
    return [option.text for option in arguments.options]


def error(text: str, release: tuple[int, ...] = (10, 4), listed: tuple[str, ...] = ()) -> TrexError:
    with pytest.raises(TrexError) as raised:
        parse_arguments(text.split(), release, listed)
    return raised.value


def test_options_without_and_with_dashes() -> None:
    arguments = parse_arguments(["int8", "--fp16", "shapes=input.1:32x3x224x224, y:1"], (8, 6, 1))
    assert texts(arguments) == ["--int8", "--fp16", "--shapes=input.1:32x3x224x224,y:1"]
    assert arguments.value("fp16") == "" and arguments.value("best") is None


@pytest.mark.parametrize(
    ("text", "release", "message", "hint"),
    [
        ("fp16", (11, 0, 0), "TensorRT 11.0 has no option --fp16", "10.16 was the last to take it"),
        ("workspace=1024", (10, 4), "has no option --workspace", "write --memPoolSize=workspace:MIB"),
        ("memPoolSize=workspace:1", (8, 2, 3), "8.2 has no option --memPoolSize", "it came with TensorRT 8.4"),
        ("buildOnly", (10, 0), "has no option --buildOnly", "write --skipInference"),
        ("explicitBatch", (10, 0), "has no option --explicitBatch", "always have explicit batch"),
        ("int4", (10, 0), "no option --int4", "it came with TensorRT 10.1"),
        ("FP16", (10, 4), "no option --FP16", "did you mean fp16"),
        ("shape=x:1", (10, 4), "no option --shape", "did you mean shapes"),
        ("gizmo", (10, 4), "no option --gizmo", "trtexec --help lists its options"),
        ("fp16=0", (10, 4), "takes no value", "leave it out"),
        ("shapes", (10, 4), "--shapes needs a value", "shapes=…"),
        ("saveEngine=x", (10, 4), "--saveEngine cannot be used here", "OUTDIR"),
        ("help", (10, 4), "--help cannot be used here", "something else"),
        ("batch=8", (8, 6), "--batch cannot be used here", "shapes=NAME:BATCH"),
        ("uff=x", (8, 2), "--uff cannot be used here", "ONNX models"),
        ("tuneBuildRoutes=x", (11, 1), "--tuneBuildRoutes cannot be used here", "setBuildRoute"),
        ("iterations=many", (10, 4), "--iterations needs a number, not 'many'", "iterations=1"),
        ("device=+1", (10, 4), "--device needs the number of a GPU, not '+1'", "device=1"),
        ("device=1.0", (10, 4), "--device needs the number of a GPU, not '1.0'", "device=1"),
        ("profile=one", (10, 4), "--profile needs a number", ""),
        ("shapes=x", (10, 4), "not the shape of an input", "NAME:"),
        ("shapes=x:-1x3", (10, 4), "not whole numbers", ""),
        ("shapes=x:1,x:2", (10, 4), "given twice", ""),
        ("", (10, 4), "not an option", ""),
        ("--", (10, 4), "not an option", ""),
        ("=3", (10, 4), "not an option", ""),
    ],
)  # fmt: skip
def test_what_is_refused_before_the_build(text: str, release: tuple[int, ...], message: str, hint: str) -> None:
    with pytest.raises(TrexError) as raised:
        parse_arguments([text], release)
    assert message in raised.value.message
    assert hint in raised.value.hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("iterations=1 iterations=2", "--iterations=1 and --iterations=2 contradict each other"),
        ("streams=1 infStreams=2", "contradict each other"),
        ("memPoolSize=workspace:1 memPoolSize=dlaSRAM:2", "contradict each other"),
        ("profile=0 optShapes=x:1 useProfile=1", "--useProfile=1 asks for a profile that is not built"),
        ("minShapes=x:1x3 optShapes=x:2x3 maxShapes=x:4x3 shapes=x:8x3", "outside of minShapes 1x3 and maxShapes 4x3"),
        ("minShapes=x:1x3 optShapes=x:2x3 maxShapes=x:4x3 shapes=x:2", "outside of minShapes"),
    ],
)
def test_options_that_contradict_each_other(text: str, message: str) -> None:
    assert message in error(text, (10, 16)).message


@pytest.mark.parametrize(
    "text",
    ["minShapes=x:1", "profile=1 optShapes=x:1", "optShapes=x:1 optShapes=x:2", "fp8 int8", "best stronglyTyped",
     "pi vc", "minShapes=x:4 optShapes=x:2 maxShapes=x:1", "duration=-1", "inputIOFormats=chw",
     "weightStreamingBudget=1",
     "memPoolSize=workspce:1"],
)  # fmt: skip
def test_what_trtexec_refuses_clearly_itself_is_passed_on(text: str) -> None:
    arguments = parse_arguments(text.split(), (10, 16))
    given = [option.text for option in (*arguments.options, *arguments.profile_options)]
    assert given == [f"--{word}" for word in text.split()]


def test_a_release_that_writes_no_layer_information() -> None:
    assert "too old" in error("fp16", (8, 0, 3)).message


def test_the_same_option_again_adds_nothing() -> None:
    arguments = parse_arguments(["fp16", "fp16", "vc", "versionCompatible", "plugins=a", "plugins=b"], (8, 6))
    assert texts(arguments) == ["--fp16", "--vc", "--plugins=a", "--plugins=b"]


@pytest.mark.parametrize("release", [(8, 4), (10, 0), (10, 16), (11, 1)])
@pytest.mark.parametrize(
    ("given", "passed"),
    [("1024", "1024"), ("1024MiB", "1024"), ("1024M", "1024"), ("1G", "1024"), ("512K", "0.5"), ("0.25MiB", "0.25"),
     ("1048576B", "1"), ("1GB", "1024")],
)  # fmt: skip
def test_a_memory_pool_has_the_same_size_on_every_release(given: str, passed: str, release: tuple[int, int]) -> None:
    text = f"memPoolSize=dlaSRAM:1,workspace:{given}"
    assert texts(parse_arguments([text], release)) == [f"--memPoolSize=dlaSRAM:1,workspace:{passed}"]


def test_profiles_keep_their_order() -> None:
    given = ["profile=1", "optShapes=x:2", "minShapes=x:1", "maxShapes=x:3", "fp16", "profile=0", "optShapes=x:9"]
    arguments = parse_arguments(given, (10, 4))
    assert [option.text[2:] for option in arguments.profile_options] == [text for text in given if text != "fp16"]
    assert [(profile.index, profile.optimum) for profile in arguments.profiles] == [(1, "x:2"), (0, "x:9")]
    assert texts(arguments) == ["--fp16"]
    (profile,) = parse_arguments(["optShapes=x:1x3"], (8, 2)).profiles
    assert (profile.index, profile.optimum) == (0, "x:1x3")


def test_pairs_of_inputs_and_outputs_keep_their_order() -> None:
    given = ["accuracyThreshold=1", "refPair=0", "loadInputs=x:a", "loadRefOutputs=y:b", "refPair=1", "loadInputs=x:a",
             "loadRefOutputs=y:c"]  # fmt: skip
    assert texts(parse_arguments(given, (11, 1))) == [f"--{text}" for text in given]


@pytest.mark.parametrize("release", ALL)
def test_the_opt_outs_of_11_are_options_of_every_release(release: tuple[int, int]) -> None:
    arguments = parse_arguments(["noCudaGraph", "includeDataTransfers"], release)
    assert arguments.options == () and arguments.opt_outs == {"noCudaGraph", "includeDataTransfers"}


def test_options_without_effect_are_left_out_with_a_note() -> None:
    arguments = parse_arguments(["useCudaGraph", "stronglyTyped", "separateProfileRun", "skipInference"], (11, 0))
    assert arguments.options == ()
    assert [(note.code, note.severity) for note in arguments.notes] == [("option-without-effect", "info")] * 4
    assert texts(parse_arguments(["useCudaGraph", "stronglyTyped"], (10, 4))) == ["--useCudaGraph", "--stronglyTyped"]


def test_options_that_only_this_trtexec_lists_are_passed_on() -> None:
    arguments = parse_arguments(["gizmo=3", "fp16"], (11, 4), listed=("gizmo", "fp16"))
    assert texts(arguments) == ["--gizmo=3", "--fp16"]
    assert [note.code for note in arguments.notes] == ["unknown-trtexec-option"]
    assert "gizmo" in error("gizm", (11, 4), ("gizmo",)).hint


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("x:1x3x224x224", {"x": (1, 3, 224, 224)}),
        ("input.1:1,'y:0':2x3", {"input.1": (1,), "y:0": (2, 3)}),
        ("a:b:4x4", {"a:b": (4, 4)}),
        ("s:scalar,t:", {"s": (), "t": ()}),
        ("x:1x3, y:2", {"x": (1, 3), "y": (2,)}),
    ],
)
def test_shapes(text: str, shapes: dict[str, tuple[int, ...]]) -> None:
    assert parse_shapes(text) == shapes
