"""Logs of other engines in an engine's folder."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.raw_records import chain, graph_file, layer, plan_of, tensor
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.engine_plan import load
from trex.ingest.artifacts import read_artifacts
from trex.ingest.files import find_engines
from trex.ingest.finding.contradiction import confirmation, contradiction
from trex.ingest.logs.log_run import LogRun
from trex.ingest.logs.log_sections import LogBinding
from trex.ingest.logs.trtexec_log import read_log

CODE = "log-of-another-engine"


def test_layers_decide_and_else_inputs_and_outputs(tmp_path: Path) -> None:
    engine = plan_of(tmp_path, chain("conv1", "conv2", "conv3"), ["x", "y"]).engine
    others = [layer(name) for name in ("a", "b", "c")]
    assert contradiction(engine, LogRun(Metadata(), layer_rows=others, bindings=["x", "y"])) == (
        "0 of its 3 layers are in the graph"
    )
    mixed = [*others, *chain("conv1", "conv2", "conv3")]
    assert not contradiction(engine, LogRun(Metadata(), raw_layers=mixed, bindings=["p"]))
    assert "'p', 'q', the engine's 'x', 'y'" in contradiction(engine, LogRun(Metadata(), bindings=["p", "q"]))
    assert not contradiction(engine, LogRun(Metadata(), raw_layers=others[:2], bindings=["x", "q"]))
    assert not contradiction(engine, LogRun(Metadata()))


MYELIN = ["{ForeignNode[a...z]}", "__myl_AddMul_myl7_1"]
DAMAGE = Note("unreadable-layer-row", "", severity="problem")
JOINED = Note("part-of-layer-rows", "", severity="warning")


def written_as(kind: str, *names: str) -> list[dict[str, Any]]:
    tensors = [tensor("x", (1, 8), kind)], [tensor("y", (1, 8), kind)]
    return [layer(name, "Convolution", *tensors) for name in names]


@pytest.mark.parametrize(
    ("names", "notes", "reason"),
    [
        ("a b p q r", (), "2 of its 5 layers are in the graph"),
        ("a b c p q r", (), ""),
        ("a b c", (), ""),  # the rest is cut off
        ("a b c d e p q r s t u v w", (DAMAGE,), ""),
        ("a b c d e p q r s t u v w", (JOINED,), ""),
    ],
)
def test_half_of_the_layers_that_a_log_lists_are_in_its_engines_graph(
    names: str, notes: tuple[Note, ...], reason: str, tmp_path: Path
) -> None:
    engine = plan_of(tmp_path, chain("a", "b", "c", "d", "e"), ["x", "y"]).engine
    listed = written_as("Half", *names.split())
    assert contradiction(engine, LogRun(Metadata(), layer_rows=listed, notes=notes)) == reason
    assert contradiction(engine, LogRun(Metadata(), raw_layers=listed, notes=notes)) == reason


def test_regions_are_compared_only_with_the_inspectors(tmp_path: Path) -> None:
    own = ["a", "b", "c", *(f"{name}_myl4_{number}" for number, name in enumerate("defgh"))]
    engine = plan_of(tmp_path, chain(*own), ["x", "y"]).engine
    rows = written_as("Half", "a", "b", "c", *(f"{{ForeignNode[{name}]}}" for name in "defgh"))
    assert not contradiction(engine, LogRun(Metadata(), layer_rows=rows))
    assert "3 of its 8 layers are" in contradiction(engine, LogRun(Metadata(), raw_layers=rows))
    rows = written_as("Half", "a", *"pqr", *MYELIN)
    reason = contradiction(engine, LogRun(Metadata(), layer_rows=rows))
    assert reason == "1 of its 4 layers outside Myelin's regions are in the graph"
    copies = [f"{name} [profile 1]_myl9_{number}" for number, name in enumerate("defgh")]
    assert not contradiction(engine, LogRun(Metadata(), raw_layers=written_as("Half", *copies)))


@pytest.mark.parametrize(("kind", "is_other"), [("Half", False), ("Float", True), ("Unheard-of", False)])
def test_layers_of_other_types_are_of_another_engine(kind: str, is_other: bool, tmp_path: Path) -> None:
    engine = plan_of(tmp_path, written_as("Half", *"abcd"), ["x", "y"]).engine
    listed = [*written_as("Half", "a"), *written_as(kind, *"bcd")]
    for run in (LogRun(Metadata(), layer_rows=listed), LogRun(Metadata(), raw_layers=listed)):
        reason = contradiction(engine, run)
        assert reason == "3 of the 4 layers in both have outputs of other types" * is_other
        assert bool(confirmation(engine, run)) is not is_other


def ends(least: int, most: int | None) -> list[dict[str, Any]]:
    profile: dict[str, Any] = {"MinShape": [least, 8], "OptShape": [least, 8]}
    profile |= {} if most is None else {"MaxShape": [most, 8]}
    facts = {"DataType": "Half", "Dimensions": [-1, 8]}
    return [
        {"Name": "x", "IOMode": "Input", **facts, "ProfileInfo": [profile]},
        {"Name": "y", "IOMode": "Output", **facts, "ProfileInfo": []},
    ]


@pytest.mark.parametrize(
    ("bindings", "reason"),
    [
        (ends(1, 4), ""),
        (["x", "y"], ""),
        (ends(1, None), ""),
        (ends(8, 8), "its 'x' is built for 8x8, the engine's for 1x8 to 4x8, best 1x8"),
        (ends(1, 8), "its 'x' is built for 1x8 to 8x8, best 1x8, the engine's for 1x8 to 4x8, best 1x8"),
    ],
)
def test_inputs_built_for_other_shapes_are_of_another_engine(bindings: list[Any], reason: str, tmp_path: Path) -> None:
    layers = written_as("Half", *"abc")
    graph_file(tmp_path, layers, None, **{"I/O Tensors": ends(1, 4)})
    engine = load(tmp_path).engine
    assert contradiction(engine, LogRun(Metadata(), raw_layers=layers, bindings=bindings)) == reason


def test_the_log_of_another_build_of_the_network_is_not_used(shared_logs: Path, tmp_path: Path) -> None:
    """Of the first build, and of one for other precisions and shapes."""
    refused = {}
    for number in ("04", "02"):
        shutil.copy(shared_logs / "trt10.16-exportLayerInfo.graph.json", tmp_path / "m.graph.json")
        shutil.copy(shared_logs / f"trt10.16-trtexec-{number}.log", tmp_path / "m.log")
        plan = load(tmp_path)
        refused[number] = [note.message for note in plan.notes if note.code == CODE]
        assert bool(plan.build_metadata.build_options) is (number == "04")
    assert refused["04"] == [] and "4 of its 14 layers outside" in "".join(refused["02"])


def loaded(command: str = "", **facts: Any) -> LogRun:
    return LogRun(Metadata(command_line=command, **facts))


def test_names_of_models_decide_where_nothing_else_does(tmp_path: Path) -> None:
    engine = plan_of(tmp_path, chain("a", "b", "c")).engine
    run = loaded("trtexec --onnx=/x/resnet50-v1-7.onnx")
    for names in (["resnet18.graph.json"], ["mobilenet_v2.onnx.engine.graph.json", "timing.json"]):
        assert "it names 'resnet50-v1-7.onnx'" in contradiction(engine, run, names, "build.log")
    for names in (["resnet.graph.json"], ["resnet50_fp16.plan"], ["graph.json", "model.onnx"], ["y5.graph.json"], []):
        assert not contradiction(engine, run, names, "build.log")
    assert not contradiction(engine, run, ["detector.graph.json"], "detector.log"), "its own name says whose it is"
    assert not contradiction(engine, loaded("trtexec --onnx=best.onnx"), ["detector.graph.json"], "build.log")


def test_sizes_precisions_releases_and_shapes_decide(tmp_path: Path) -> None:
    weights = {"Weights": {"Type": "Half", "Count": 8 * 2**20}}  # 16 MiB
    layers = [layer(name, "Convolution", [tensor("x")], [tensor("y")], **weights) for name in "abc"]
    engine = plan_of(tmp_path, layers).engine
    assert "engine takes 5.0 MiB, the graph's weights 48.0 MiB" in contradiction(
        engine, loaded(milestones={"engine_size_mib": 5.0})
    )
    assert "engine takes 25.0 MiB" in contradiction(engine, loaded(milestones={"engine_size_mib": 25.0})), "FP16"
    assert "weights take 0.0 MiB" in contradiction(engine, loaded(memory={"weights_bytes": 0}))
    assert not contradiction(engine, loaded(milestones={"engine_size_mib": 40.0}))
    stripped = {"Strip weights": "Enabled"}
    assert not contradiction(engine, loaded(milestones={"engine_size_mib": 5.0}, build_options=stripped))
    build = Metadata(build_options={"Precision": "FP32+FP16"})
    assert "it builds for FP32" in contradiction(engine, loaded(build_options={"Precision": "FP32"}), build=build)
    old = Note("tensorrt-7-log", "")
    assert "TensorRT 7" in contradiction(engine, loaded(notes=(old,)))
    same, other = ((LogBinding("x", True, shape, "Half"),) for shape in ((4, 8, 9, 9), (1, 3, 28, 28)))
    dynamic = Metadata(inference_options={"Input inference shape": "x=4x8x9x9"})
    assert not contradiction(engine, LogRun(dynamic, io_tensors=same))
    assert "its 'x' ran at 4x8x9x9, the engine's is 1x8x4x4" in contradiction(
        engine, LogRun(Metadata(), io_tensors=same)
    )
    assert "its 'x' is 1x3x28x28" in contradiction(engine, LogRun(Metadata(), io_tensors=other))


def test_few_pairs_of_another_engine_and_log_are_possible(shared_engines: Path, shared_logs: Path) -> None:
    """A ResNet50 log of names alone fits engines called resnet and one of generic names; nothing else fits any."""
    logs = {path.name: read_log(path.read_bytes(), path.name).runs for path in sorted(shared_logs.glob("*.log"))}
    accepted = set()
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        (files,) = find_engines(folder)
        artifacts = read_artifacts(replace(files, build_log=None, profile_log=None))
        names = [Path(path).name for path in files.paths]
        for name, runs in logs.items():
            if any(not contradiction(artifacts.engine, run, names, "b.log", artifacts.build_metadata) for run in runs):
                accepted.add((folder.name, name))
    assert len(accepted) <= 4 and {name for _, name in accepted} <= {
        "trt8.5-superbench-profile.log",
        "trtrtx-verbose.log",
    }


def test_nothing_of_another_engines_log_is_used(shared_engines: Path, shared_logs: Path, tmp_path: Path) -> None:
    """Every real log with every real engine: none is of any of them."""
    logs = {path: read_log(path.read_bytes(), path.name).runs for path in sorted(shared_logs.glob("*.log"))}
    named = {path: runs for path, runs in logs.items() if all(run.bindings or run.layer_rows for run in runs)}
    assert len(named) > 8
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        engine = load(folder).engine
        own = {binding.name for binding in engine.bindings}
        if not own:
            continue
        for path, runs in named.items():
            agreeing = [run for run in runs if not contradiction(engine, run)]
            assert all(own & set(map(str, run.bindings)) for run in agreeing if run.bindings), (folder.name, path.name)


@pytest.mark.parametrize("name", ["trt8.4-mnist-fp16-build-verbose.log", "trt10.16-trtexec-01.log"])
def test_a_folder_with_such_a_log_is_read_without_it(
    name: str, shared_engines: Path, shared_logs: Path, tmp_path: Path
) -> None:
    source = shared_engines / "trt8.2-resnet50-rtx3090-fp16"
    for path in (*source.glob("*.graph.json"), *source.glob("*.engine.profile.json")):
        shutil.copy(path, tmp_path)
    alone = load(tmp_path)
    shutil.copy(shared_logs / name, tmp_path / "build.log")
    plan = load(tmp_path)
    assert (plan.build_metadata, plan.metadata) == (alone.build_metadata, alone.metadata)
    assert plan.engine == alone.engine
    (note,) = [note for note in plan.notes if note.code == CODE]
    assert note.severity == "problem" and note.where.endswith("build.log")


def test_an_engines_own_log_is_kept(shared_engines: Path) -> None:
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        assert CODE not in {note.code for note in load(folder).notes}, folder.name
