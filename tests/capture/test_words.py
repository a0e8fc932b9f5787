"""The user's words against a release: what is taken, merged, refused, and in which words."""

from __future__ import annotations

import pytest

from trex.capture.word_values import pools_from_text, shapes_from_text
from trex.capture.words import Words, read_words
from trex.core.errors import TrexError

ALL = ((8, 2), (8, 4), (8, 5), (8, 6), (9, 3), (10, 0), (10, 4), (10, 16), (11, 0), (11, 1))


def texts(words: Words) -> list[str]:
    return [word.text for word in words.words]


def error(words: str, release: tuple[int, ...] = (10, 4), listed: tuple[str, ...] = ()) -> TrexError:
    with pytest.raises(TrexError) as told:
        read_words(words.split(), release, listed)
    return told.value


def test_words_without_and_with_dashes() -> None:
    read = read_words(["int8", "--fp16", "shapes=input.1:32x3x224x224"], (8, 6, 1))
    assert texts(read) == ["--int8", "--fp16", "--shapes=input.1:32x3x224x224"]
    assert read.value("shapes") == "input.1:32x3x224x224" and read.value("fp16") == "" and read.value("best") is None


@pytest.mark.parametrize(
    ("word", "release", "message", "hint"),
    [
        ("fp16", (11, 0, 0), "TensorRT 11.0 has no option --fp16 any more", "10.16 was the last to take it; since"),
        ("workspace=1024", (10, 4), "has no option --workspace any more", "write --memPoolSize=workspace:MIB"),
        ("memPoolSize=workspace:1", (8, 2, 3), "8.2 has no option --memPoolSize yet", "before that write workspace"),
        ("buildOnly", (10, 0), "has no option --buildOnly any more", "write --skipInference"),
        ("explicitBatch", (10, 0), "has no option --explicitBatch any more", "always have explicit batch"),
        ("int4", (10, 0), "no option --int4 yet", "it came with TensorRT 10.1"),
        ("FP16", (10, 4), "no option --FP16", "did you mean fp16"),
        ("shape=x:1", (10, 4), "no option --shape", "did you mean shapes"),
        ("fp16=0", (10, 4), "takes no value", "leave it out"),
        ("fp16=", (10, 4), "nothing behind the =", ""),
        ("shapes", (10, 4), "--shapes needs a value", ""),
        ("saveEngine=x", (10, 4), "--saveEngine is not for you to give", "OUTDIR"),
        ("help", (10, 4), "makes trtexec do something else", ""),
        ("getPlanVersionOnly", (10, 4), "makes trtexec do something else", ""),
        ("batch=8", (8, 6), "trtexec takes no --batch for ONNX models", "--shapes"),
        ("uff=x", (8, 2), "not ONNX", "export the model to ONNX"),
        ("tuneBuildRoutes=x", (11, 1), "search over build routes", "setBuildRoute"),
        ("inputIOFormats=fp16:chw", (11, 0), "types of inputs and outputs come from the model", "inputIOFormats=chw"),
        ("inputIOFormats=chw", (10, 16), "needs type and format", "fp16:chw"),
        ("iterations=many", (10, 4), "needs a whole number", ""),
        ("iterations=1.5", (10, 4), "needs a whole number", ""),
        ("duration=-1", (10, 4), "never ends", ""),
        ("memPoolSize=workspce:1", (10, 4), "no memory pool", "did you mean workspace"),
        ("memPoolSize=tacticSharedMem:1", (9, 3), "no memory pool tacticSharedMem", "10.0"),
        ("memPoolSize=workspace:much", (10, 4), "is no size", "1024"),
        ("shapes=x", (10, 4), "no shape of an input", "NAME:"),
        ("shapes=x:-1x3", (10, 4), "not whole numbers", ""),
        ("shapes=x:1,x:2", (10, 4), "given twice", ""),
        ("profile=one", (10, 4), "--profile needs a whole number", ""),
        ("", (10, 4), "no option", ""),
        ("--", (10, 4), "no option", ""),
        ("=3", (10, 4), "no option", ""),
        ("fp16\0", (10, 4), "no option", ""),
    ],
)  # fmt: skip
def test_what_is_refused_before_the_build(word: str, release: tuple[int, ...], message: str, hint: str) -> None:
    with pytest.raises(TrexError) as told:
        read_words([word], release)
    assert message in told.value.message
    assert hint in told.value.hint


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("iterations=1 iterations=2", "--iterations=1 and --iterations=2 are two values for one thing"),
        ("streams=1 infStreams=2", "two values for one thing"),
        ("useCudaGraph noCudaGraph", "contradict"),
        ("weightStreamingBudget=1", "needs --allowWeightStreaming"),
        ("remoteAutoTuningConfig=x", "--remoteAutoTuningConfig needs --safe"),
        ("pi vc", "exclude one another"),
        ("fp8 int8", "exclude one another"),
        ("best stronglyTyped", "exclude one another"),
        ("minShapes=x:1", "only minShapes is given"),
        ("minShapes=x:1 optShapes=x:1", "only minShapes and optShapes is given"),
        ("maxShapesCalib=x:1", "only maxShapesCalib is given"),
        ("profile=-1 optShapes=x:1", "needs the number"),
        ("optShapes=x:1 optShapes=x:2", "--optShapes is given twice"),
        ("profile=0 optShapes=x:1 profile=2 optShapes=x:2", "numbered 0, 2"),
        ("profile=0 optShapes=x:1 profile=0 optShapes=x:2", "numbered 0, 0"),
        ("optShapes=x:1 profile=0 optShapes=x:2", "before the first --profile"),
        ("profile=0 optShapes=x:1 useProfile=1", "--useProfile=1 asks for a profile that is not built"),
        ("minShapes=x:1x3 optShapes=x:2x3 maxShapes=x:4x3 shapes=x:8x3", "lies outside"),
        ("minShapes=x:1x3 optShapes=x:2x3 maxShapes=x:4x3 shapes=x:2", "lies outside"),
    ],
)
def test_words_that_do_not_go_together(words: str, message: str) -> None:
    assert message in error(words, (10, 16)).message


def test_a_release_that_tells_nothing_about_layers() -> None:
    assert "too old" in error("fp16", (8, 0, 3)).message


def test_the_same_word_again_adds_nothing() -> None:
    read = read_words(["fp16", "fp16", "vc", "versionCompatible", "plugins=a", "plugins=b", "plugins=a"], (8, 6))
    assert texts(read) == ["--fp16", "--vc", "--plugins=a", "--plugins=b"]


@pytest.mark.parametrize("release", ALL[1:])
@pytest.mark.parametrize(
    ("given", "passed"),
    [("1024", "1024"), ("1024MiB", "1024"), ("1024M", "1024"), ("1G", "1024"), ("512K", "0.5"), ("0.25MiB", "0.25"),
     ("1048576B", "1"), ("1GB", "1024")],
)  # fmt: skip
def test_a_memory_pool_is_the_same_size_on_every_release(given: str, passed: str, release: tuple[int, int]) -> None:
    assert texts(read_words([f"memPoolSize=workspace:{given}"], release)) == [f"--memPoolSize=workspace:{passed}"]


def test_memory_pools_are_merged() -> None:
    read = read_words(["memPoolSize=workspace:1", "memPoolSize=dlaSRAM:2,workspace:3"], (8, 6))
    assert texts(read) == ["--memPoolSize=workspace:3,dlaSRAM:2"]
    assert pools_from_text("workspace:3,dlaSRAM:2", (8, 6)) == {"workspace": 3.0, "dlaSRAM": 2.0}


def test_profiles_keep_their_order() -> None:
    words = ["profile=1", "optShapes=x:2", "minShapes=x:1", "maxShapes=x:3", "fp16", "profile=0", "optShapes=x:9"]
    read = read_words(words, (10, 4))
    assert [profile.words for profile in read.profiles] == [
        ("--profile=1", "--minShapes=x:1", "--optShapes=x:2", "--maxShapes=x:3"),
        ("--profile=0", "--optShapes=x:9"),
    ]
    assert texts(read) == ["--fp16"]


def test_pairs_of_inputs_and_outputs_keep_their_order() -> None:
    words = ["accuracyThreshold=1", "refPair=0", "loadInputs=x:a", "loadRefOutputs=y:b", "refPair=1", "loadInputs=x:a",
             "loadRefOutputs=y:c"]  # fmt: skip
    assert texts(read_words(words, (11, 1))) == [f"--{word}" for word in words]
    with pytest.raises(TrexError, match="two values for one thing"):
        read_words(["loadInputs=x:a", "loadInputs=x:b"], (11, 1))


def test_one_profile_needs_no_number() -> None:
    (profile,) = read_words(["optShapes=x:1x3"], (8, 2)).profiles
    assert profile.index is None and profile.words == ("--optShapes=x:1x3",)
    assert "before 9.0" in error("optShapes=x:1 optShapes=x:2", (8, 6)).hint


@pytest.mark.parametrize("release", ALL)
def test_the_opt_outs_of_11_are_words_of_every_release(release: tuple[int, int]) -> None:
    read = read_words(["noCudaGraph", "includeDataTransfers"], release)
    assert read.words == () and read.undone == {"noCudaGraph", "includeDataTransfers"}


def test_what_has_no_effect_is_left_out_with_a_note() -> None:
    read = read_words(["useCudaGraph", "stronglyTyped", "separateProfileRun"], (11, 0))
    assert read.words == ()
    assert [note.code for note in read.notes] == ["option-without-effect"] * 3
    assert texts(read_words(["useCudaGraph", "stronglyTyped"], (10, 4))) == ["--useCudaGraph", "--stronglyTyped"]


def test_deprecated_options_are_passed_on_with_a_note() -> None:
    read = read_words(["plugins=a.so", "streams=2"], (10, 4))
    assert texts(read) == ["--plugins=a.so", "--streams=2"]
    assert [(note.code, note.hint) for note in read.notes] == [
        ("deprecated-trtexec-option", "--staticPlugins=FILE"), ("deprecated-trtexec-option", "--infStreams=N")
    ]  # fmt: skip


def test_engines_that_are_not_profiled_get_a_note() -> None:
    for words in (["runtimePlatform=WindowsAMD64"], ["cpuOnly", "safe", "remoteAutoTuningConfig=x"]):
        assert {note.code for note in read_words(words, (10, 16)).notes} == {"engine-not-for-profiling"}
    assert read_words(["runtimePlatform=SameAsBuild"], (10, 16)).notes == ()


def test_the_help_text_at_hand_is_believed() -> None:
    read = read_words(["gizmo=3", "fp16"], (11, 4), listed=("gizmo", "fp16"))
    assert texts(read) == ["--gizmo=3", "--fp16"]
    assert [note.code for note in read.notes] == ["unknown-trtexec-option"]
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
    assert shapes_from_text(text) == shapes
