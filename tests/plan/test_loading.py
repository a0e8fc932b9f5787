"""Addresses: any file of an engine, a stem, a folder, an archive or an example."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import trex
from tests.raw_records import Record, chain, graph_file, layer, tensor, times, written
from trex.core.errors import TrexError
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import find_plans, load_plan, load_repetitions


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    graph_file(tmp_path, chain("a", "b"))
    written(tmp_path / "m.profile.json", times(("a", 1.0), ("b", 2.0)))
    return tmp_path


@pytest.mark.parametrize("address", ["m.graph.json", "m.profile.json", "m", "", "."])
def test_every_address_of_one_engine(folder: Path, address: str) -> None:
    plan = load_plan(EnginePlan, folder / address)
    assert [layer.name for layer in plan.working_layers] == ["a", "b"]
    assert plan.total_runtime == 3.0
    assert plan.name == "m"


def test_an_archive(folder: Path) -> None:
    archive = folder.parent / "engine.tea"
    with zipfile.ZipFile(archive, "w") as zipped:
        for name in ("m.graph.json", "m.profile.json"):
            zipped.write(folder / name, name)
    assert load_plan(EnginePlan, archive).total_runtime == 3.0


def test_the_class_is_the_one_asked_for(folder: Path) -> None:
    assert type(load_plan(trex.EnginePlan, folder)) is trex.EnginePlan
    assert type(load_plan(EnginePlan, folder)) is EnginePlan


def test_several_engines_are_listed(folder: Path) -> None:
    graph_file(folder, chain("c"), name="other")
    with pytest.raises(TrexError, match="2 engines") as caught:
        load_plan(EnginePlan, folder)
    assert "m.graph.json" in str(caught.value)
    assert "other.graph.json" in str(caught.value)
    assert [files.name for files in find_plans(folder)] == ["m", "other"]
    assert load_plan(EnginePlan, folder / "other.graph.json").working_layers[0].name == "c"


def test_another_profile_may_be_given(folder: Path) -> None:
    other = written(folder.parent / "elsewhere.json", times(("a", 10.0), ("b", 20.0)))
    assert load_plan(EnginePlan, folder, profiling_file=other).total_runtime == 30.0
    foreign = written(folder.parent / "foreign.json", times(("p", 10.0), ("q", 20.0)))
    with pytest.raises(TrexError, match="another engine"):
        load_plan(EnginePlan, folder, profiling_file=foreign)


def test_examples() -> None:
    (files,) = find_plans("example:resnet18-int8")
    assert files.name == "resnet18-int8"
    plan = load_plan(EnginePlan, "example:resnet18-int8")
    assert plan.is_synthetic
    assert plan.name == "resnet18-int8"
    with pytest.raises(TrexError) as caught:
        find_plans("example:missing")
    assert "resnet18-int8" in str(caught.value)


@pytest.mark.parametrize("address", ["nowhere.graph.json", "no/such/folder", ""])
def test_nothing_there(tmp_path: Path, address: str) -> None:
    with pytest.raises(TrexError) as caught:
        load_plan(EnginePlan, tmp_path / address)
    assert caught.value.hint


def test_several_logs_are_listed_by_their_paths(tmp_path: Path) -> None:
    for name in ("one", "two"):
        log = "&&&& RUNNING TensorRT.trtexec [TensorRT v8401] # trtexec --onnx=m.onnx\n"
        (tmp_path / f"{name}.log").write_text(log)
    with pytest.raises(TrexError) as caught:
        load_plan(EnginePlan, tmp_path)
    assert "\n    one.log\n    two.log" in caught.value.message


def runs_of(folder: Path, *outputs: Record, shapes: str = "") -> Path:
    for number, output in enumerate(outputs, 1):
        run = folder / f"run{number}"
        run.mkdir()
        graph_file(run, [layer("a", "PointWiseV2", ["x"], [output])])
        options = {"inference_options": {"Input inference shapes": f"x={number}x8" if shapes == "own" else shapes}}
        written(run / "m.profile.metadata.json", options if shapes else {})
    return folder


@pytest.mark.parametrize("shapes", ["", "x=4x8"])
def test_runs_of_one_engine(tmp_path: Path, shapes: str) -> None:
    runs_of(
        tmp_path, tensor("y"), tensor("y", written="Channel major FP16 format where channel % 8 == 0"), shapes=shapes
    )
    assert len(load_repetitions(EnginePlan, tmp_path)) == 2


@pytest.mark.parametrize(
    ("other", "shapes"),
    [(tensor("y", dims=(2, 8, 4, 4)), ""), (tensor("y", written="Row major linear FP32"), ""), (tensor("y"), "own")],
    ids=["batch", "precision", "shapes of the run"],
)
def test_equal_names_alone_are_not_one_engine(tmp_path: Path, other: Record, shapes: str) -> None:
    with pytest.raises(TrexError, match="2 engines here"):
        load_repetitions(EnginePlan, runs_of(tmp_path, tensor("y"), other, shapes=shapes))
