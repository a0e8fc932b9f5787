"""Files of one engine that state two GPUs, versions, shapes or precisions."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from tests.fuzz.monsters import document, layer, tensor
from trex.core.metadata import LatencySummary, Metadata
from trex.core.shape import Shape
from trex.core.timings import LayerTimes, QueryTimes
from trex.engine_plan import load
from trex.ingest.differing_facts import (
    BUILT_ELSEWHERE,
    OTHER_FACT,
    OTHER_GPU,
    OTHER_RELEASE,
    OTHER_SHAPE,
    are_other_shapes,
    built_elsewhere,
    differing_facts,
    name_two_gpus,
    other_engine,
    other_release,
    two_origins,
)
from trex.perf.known_devices import known_devices
from trex.perf.performance import Performance


def folder(tmp_path: Path, run: dict[str, object], device: object) -> str:
    layers = [layer("a", Inputs=[tensor("x", (32, 8), "Half")], Outputs=[tensor("y", (32, 8), "Half")])]
    (tmp_path / "m.graph.json").write_bytes(document(layers, ["x", "y"]))
    (tmp_path / "m.profile.metadata.json").write_text(json.dumps(run), encoding="utf-8")
    (tmp_path / "m.metadata.json").write_text(json.dumps(device), encoding="utf-8")
    return str(tmp_path)


@pytest.mark.parametrize(
    ("name", "is_other"), [("Tesla T4", True), ("NVIDIA A100 80GB PCIe", False), ("A100", False), ("", False)]
)
def test_two_gpus_are_none_and_leave_no_time_to_be_believed(tmp_path: Path, name: str, is_other: bool) -> None:
    facts = {"device_information": {"Selected Device": name, "Compute Capability": 8.0, "SMs": 108}}
    plan = load(folder(tmp_path, facts, [{"Name": "NVIDIA A100 80GB PCIe", "ComputeCapability": [8, 0]}]))
    assert (OTHER_GPU in {note.code for note in plan.notes}) is is_other
    assert (Performance(plan).device is None) is is_other
    assert bool(Performance(plan).contradicted) is is_other


@pytest.mark.parametrize(("shape", "is_other"), [("1x8", True), ("32x8", False)])
def test_a_run_of_another_shape(tmp_path: Path, shape: str, is_other: bool) -> None:
    plan = load(folder(tmp_path, {"inference_options": {"Input inference shape": f"x={shape}"}}, {}))
    assert ("run-shape-differs" in {note.code for note in plan.notes}) is is_other


@pytest.mark.parametrize(
    ("own", "other", "is_other"),
    [
        ((None, 3, 448, 448), (32, 3, 224, 224), True),
        ((None, 3, None, None), (32, 3, 224, 224), False),
        ((1, 3, None, None), (32, 3, 224, 224), True),
        ((3, 224, 224), (1, 3, 224, 224), True),
    ],
)
def test_known_dimensions_decide(own: Shape, other: Shape, is_other: bool) -> None:
    assert are_other_shapes(own, other) is are_other_shapes(other, own) is is_other


@pytest.mark.parametrize(
    ("inputs", "is_other"), [("data=32x8", True), ("ids=8x128,mask=8x128", True), ("x=32x8,mask=8", False)]
)
def test_a_run_with_inputs_that_the_engine_has_not(tmp_path: Path, inputs: str, is_other: bool) -> None:
    plan = load(folder(tmp_path, {"inference_options": {"Input inference shape": inputs}}, {}))
    assert ("run-shape-differs" in {note.code for note in plan.notes}) is is_other


@pytest.mark.parametrize(
    ("profiles", "is_other"),
    [
        ({"": "x=1x8+8x8+16x8"}, True),
        ({"": "x=1x8+8x8+64x8"}, False),
        ({" (profile 0)": "x=1x8+8x8+16x8", " (profile 1)": "x=32x8+32x8+32x8"}, False),
        ({" (profile 1)": "x=1x8+8x8+16x8"}, False),
        ({"": "x=1+8+16"}, False),
        ({"s": "model"}, False),
    ],
)
@pytest.mark.parametrize("batch", [-1, 32])
def test_shapes_that_no_optimization_profile_allows(
    tmp_path: Path, profiles: dict[str, str], is_other: bool, batch: int
) -> None:
    path = folder(tmp_path, {"inference_options": {"Input inference shape": "x=32x8"}}, {})
    layers = [layer("a", Inputs=[tensor("x", (batch, 8), "Half")], Outputs=[tensor("y", (batch, 8), "Half")])]
    (tmp_path / "m.graph.json").write_bytes(document(layers, ["x", "y"]))
    build = {"build_options": {f"Input build shape{key}": value for key, value in profiles.items()}}
    (tmp_path / "m.build.metadata.json").write_text(json.dumps(build), encoding="utf-8")
    codes = [note.code for note in load(path).notes if note.severity == "problem"]
    assert codes == [OTHER_SHAPE if batch < 0 else OTHER_FACT] * is_other


def test_values_of_a_shape_tensor_are_no_shape(tmp_path: Path) -> None:
    path = folder(tmp_path, {"inference_options": {"Input inference shape": "x=32"}}, {})
    layers = [layer("a", Inputs=[tensor("x", (1,), "Int32")], Outputs=[tensor("y", (32, 8), "Half")])]
    (tmp_path / "m.graph.json").write_bytes(document(layers, ["x", "y"]))
    build = {"build_options": {"Input build shape": "x=16+32+64"}}
    (tmp_path / "m.build.metadata.json").write_text(json.dumps(build), encoding="utf-8")
    assert not [note for note in load(path).notes if note.severity == "problem"]


def test_the_shape_is_that_of_the_profile_shown(tmp_path: Path) -> None:
    """Each optimization profile has layers of its own, at its own shapes."""
    layers = [
        layer(f"a{mark}", Inputs=[tensor("x", (batch, 8), "Half")], Outputs=[tensor("y", (batch, 8), "Half")])
        for mark, batch in (("", 32), (" [profile 1]", 8))
    ]
    path = folder(tmp_path, {"inference_options": {"Input inference shape": "x=32x8"}}, {})
    (tmp_path / "m.graph.json").write_bytes(document(layers, ["x", "y"]))
    for profile, is_other in ((0, False), (1, True)):
        plan = load(path, profile_id=profile)
        assert ("run-shape-differs" in {note.code for note in plan.notes}) is is_other


@pytest.mark.parametrize(("name", "is_other"), [("Tesla T4", True), ("NVIDIA A100 80GB PCIe", False), ("", False)])
def test_a_run_on_another_gpu_than_the_build(tmp_path: Path, name: str, is_other: bool) -> None:
    path = folder(tmp_path, {"device_information": {"Selected Device": name}}, {})
    build = {"device_information": {"Selected Device": "A100 80GB"}, "build_options": {"Precision": "FP32"}}
    (tmp_path / "m.build.metadata.json").write_text(json.dumps(build), encoding="utf-8")
    assert (BUILT_ELSEWHERE in {note.code for note in load(path).notes}) is is_other


def test_two_known_gpus_are_never_one() -> None:
    """``RTX 4090 D`` contains all words of ``RTX 4090``."""
    names = [entry.device.name for entry in known_devices()[0]]
    assert not [pair for pair in combinations(names, 2) if not name_two_gpus(*pair)]
    assert not name_two_gpus("RTX 4090 D", "NVIDIA GeForce RTX 4090 D") and not name_two_gpus("H100", "H100 PCIe")


def test_a_slice_is_another_gpu_than_its_card() -> None:
    card = Metadata(device={"Selected Device": "NVIDIA A100-SXM4-40GB", "SMs": "108"}, sources=("a.log",))
    named = Metadata(device={"Selected Device": "NVIDIA A100-SXM4-40GB MIG 1g.5gb"}, sources=("b.log",))
    sized = Metadata(device={"Selected Device": "NVIDIA A100-SXM4-40GB", "SMs": "14"}, sources=("b.log",))
    for part in (named, sized):
        assert [note.code for note in differing_facts(card, part)] == [OTHER_GPU]
    assert "108 SMs" in next(differing_facts(card, sized)).message
    assert not list(differing_facts(card, Metadata(device={"SMs": "14"})))


@pytest.mark.parametrize(
    ("fact", "other", "words"),
    [
        ({"Compute Capability": "8.6"}, {"Compute Capability": "9.0"}, "compute capability 9.0"),
        ({"Memory Bus Width": "192 bits (ECC disabled)"}, {"Memory Bus Width": "128 bits"}, "128 bits of memory bus"),
        ({"Memory Bus Width": "192 bits (ECC disabled)"}, {"Memory Bus Width": "192 bits"}, ""),
        ({"Compute Capability": "8.6"}, {"SMs": "28"}, ""),
    ],
)
def test_one_name_of_two_gpus(fact: dict[str, str], other: dict[str, str], words: str) -> None:
    """RTX 3060 is sold with 192 and 128 bits."""
    name = {"Selected Device": "NVIDIA GeForce RTX 3060"}
    build, run = (Metadata(device=name | one, sources=(f"{at}.json",)) for at, one in enumerate((fact, other)))
    assert [words in note.message for note in built_elsewhere(build, run)] == [True] * bool(words)


def test_only_what_both_state() -> None:
    one = Metadata(tensorrt_version="10.1.0", build_options={"Precision": "FP16"}, sources=("a/one.json",))
    other = Metadata(tensorrt_version="8.6.1", build_options={"Precision": "FP32"}, sources=("a/two.log",))
    assert [note.severity for note in differing_facts(one, other)] == ["problem"] * 2
    assert [*differing_facts(one, one), *differing_facts(one, Metadata()), *differing_facts(Metadata(), one)] == []


def test_a_log_and_metadata_of_two_runs() -> None:
    metadata, log = (
        Metadata(latency={"GPU Compute Time": LatencySummary(ms, ms, ms, ms)}, sources=(source,))
        for ms, source in ((0.2769, "a/run.metadata.json"), (0.8306, "a/run.log"))
    )
    (note,) = differing_facts(metadata, log)
    assert note.severity == "problem" and "0.2769 ms by run.metadata.json and 0.8306 ms by run.log" in note.message
    near = replace(log, latency={"GPU Compute Time": LatencySummary(None, None, None, 0.2770)})
    assert [*differing_facts(metadata, near)] == []
    of_python = replace(metadata, tensorrt_version="10.16.0"), replace(near, tensorrt_version="10.16.0.72")
    assert [*differing_facts(*of_python)] == []


def test_a_run_of_an_engine_of_another_size() -> None:
    built = Metadata(milestones={"engine_size_mib": 12.57})
    for loaded, count in ((12.0, 0), (13.0, 0), (6.0, 1), (0.0, 1)):
        assert len([*other_engine(built, Metadata(milestones={"loaded_engine_mib": loaded}))]) == count
    assert not [*other_engine(built, Metadata())]
    compatible = Metadata(milestones={"engine_size_mib": 60.0, "loaded_engine_mib": 12.0})
    assert not [*other_engine(compatible, Metadata(milestones={"loaded_engine_mib": 12.0}))]


@pytest.mark.parametrize(
    ("release", "option", "code", "severity"),
    [
        ("10.5.0", "Disabled", OTHER_FACT, "problem"),
        ("10.5.0", "Enabled", OTHER_RELEASE, "info"),
        ("8.6.1", "", OTHER_RELEASE, "warning"),
        ("10.9.0.34", "Disabled", "", ""),
        ("10.9", "", "", ""),
        ("", "", "", ""),
        ("for RTX 1.2.0", "", OTHER_FACT, "problem"),
        ("for RTX 1.2.0", "Enabled", OTHER_FACT, "problem"),
    ],
)
def test_a_run_by_another_release(release: str, option: str, code: str, severity: str) -> None:
    built = Metadata(tensorrt_version=release, build_options={"Version Compatible": option})
    notes = [*other_release(built, Metadata(tensorrt_version="10.9.0"))]
    assert [(note.code, note.severity) for note in notes] == [(code, severity)] * bool(code)


@pytest.mark.parametrize(
    ("run", "is_other"),
    [
        ("for RTX 1.4.0", True),
        ("for RTX 1.7.2", True),
        ("11.0.0", True),
        ("8.6.1", True),
        ("for RTX 1.7.1", False),
        ("for RTX 1.7", False),
        ("for RTX 1.7.1.116", False),
        ("1.7.1", False),
        ("1.6.1", True),
        ("", False),
        ("for RTX", False),
    ],
)
def test_engines_of_tensorrt_for_rtx_are_of_one_release(run: str, is_other: bool) -> None:
    built = Metadata(tensorrt_version="for RTX 1.7.1")
    notes = [*other_release(built, Metadata(tensorrt_version=run))]
    assert [(note.code, note.severity) for note in notes] == [(OTHER_FACT, "problem")] * is_other
    assert all("built with TensorRT for RTX 1.7.1 and run with TensorRT " in note.message for note in notes)


def test_the_mark_of_a_graph_names_the_release_that_built_it(tmp_path: Path) -> None:
    for release, count in (("for RTX 1.4.0", 1), ("for RTX 1.7.1", 0)):
        path = folder(tmp_path, {"tensorrt_version": release, "inference_options": {}}, {})
        graph = tmp_path / "m.graph.json"
        graph.write_text(json.dumps({**json.loads(graph.read_bytes()), "BuiltOnCPU": "TensorRT for RTX 1.7.1"}))
        assert len([note for note in load(path).notes if note.code == OTHER_FACT]) == count


def test_predicted_times_next_to_measured_ones() -> None:
    layers, queries = LayerTimes((), source="a/m.profile.json"), QueryTimes({}, source="a/m.timing.json")
    latency = {"GPU Compute Time": LatencySummary(1.0, 1.0, 1.0, 1.0)}
    run = Metadata(latency=latency, sources=("a/m.profile.metadata.json",))
    marked = replace(layers, marks=("built_on_cpu",))
    (note,) = two_origins(marked, queries, Metadata())
    assert note.severity == "problem" and "in m.profile.json are predicted, those in m.timing.json" in note.message
    (note,) = two_origins(layers, None, replace(run, simulated=True))
    assert "in m.profile.metadata.json are predicted, those in m.profile.json" in note.message
    assert not [*two_origins(layers, queries, run), *two_origins(marked, None, replace(run, built_on_cpu=True))]
    assert not [*two_origins(marked, None, replace(run, latency={})), *two_origins(None, None, run)]


def test_the_release_of_an_engine_is_that_of_its_build(tmp_path: Path) -> None:
    path = folder(tmp_path, {"tensorrt_version": "10.9.0", "inference_options": {}}, {})
    build = {"tensorrt_version": "10.5.0", "build_options": {"Precision": "FP32"}}
    (tmp_path / "m.build.metadata.json").write_text(json.dumps(build), encoding="utf-8")
    assert load(path).tensorrt_version == "10.5.0"
