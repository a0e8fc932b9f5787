"""A user's own pair: an engine with times against the prediction from its model, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.simulated_examples import load_simulated
from trex.core.errors import TrexError
from trex.core.release import Release
from trex.engine_plan import EnginePlan
from trex.examples.network import write_network
from trex.ingest.onnx_model import read_model
from trex.perf.known_devices import find_device
from trex.plan.loading import load_plan
from trex.simulator.own_pair import own_pair, target_of
from trex.simulator.simulation import simulate_model
from trex.simulator.target import Target
from trex.views.validation import pair_document, works_table

pytest.importorskip("onnx")
RUN = {
    "Selected Device": "NVIDIA A30", "Compute Capability": "8.0", "SMs": "56",
    "Application Compute Clock Rate": "1.44 GHz",
}  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    return str(write_network("alexnet-fp16", tmp_path_factory.mktemp("model") / "alexnet.onnx", 4))


@pytest.fixture(scope="module")
def measured(model, tmp_path_factory) -> Path:
    """Files as of a measured engine, made from a prediction: every layer takes a tenth longer."""
    folder = tmp_path_factory.mktemp("engine")
    target = Target(find_device("A30"), strongly_typed=True)
    engine = simulate_model(read_model(model), target).engine
    layers = [{key: value for key, value in layer.items() if key != "simulated"} for layer in engine.graph["Layers"]]
    write(folder, "graph", {"Layers": layers, "Bindings": engine.graph["Bindings"]})
    times = [
        {"name": layer["Name"], "timeMs": 110 * ms, "averageMs": 1.1 * ms, "medianMs": 1.1 * ms, "percentage": 1.0}
        for layer, ms in zip(layers, engine.layer_ms, strict=True)
        if ms
    ]
    write(folder, "profile", [{"count": 100}, *times])
    write(folder, "profile.metadata", {"device_information": RUN, "tensorrt_version": "10.4.0"})
    return folder


def write(folder: Path, kind: str, document: Any) -> None:
    (folder / f"alexnet.{kind}.json").write_text(json.dumps(document))


def plan_at(folder: Path) -> EnginePlan:
    return load_plan(EnginePlan, folder)


def test_a_tenth_slower_is_seen_as_such(measured, model):
    pair = own_pair(plan_at(measured), model, find_device("A30"))
    validation = pair.validation
    assert validation.layers[0] == validation.layers[1] > 10
    assert validation.groups_equal == 1.0 and validation.spearman == pytest.approx(1.0)
    assert validation.total_ratio == pytest.approx(1 / 1.1, rel=1e-3)
    assert pair.measured_ms is None and validation.is_expected is None
    assert pair.knows_release and pair.target.release == Release(10, 4)
    for work in pair.works:
        assert work.layers[0] == work.layers[1]
        assert work.predicted_ms == pytest.approx(work.on_real_layers_ms, rel=0.05)
        assert work.measured_ms == pytest.approx(1.1 * work.predicted_ms, rel=1e-3)
    measured_ms = [work.measured_ms or 0.0 for work in pair.works]
    errors = [abs(work.predicted_ms - ms) for work, ms in zip(pair.works, measured_ms, strict=True)]
    assert errors == sorted(errors, reverse=True)
    assert sum(work.predicted_ms for work in pair.works) == pytest.approx(
        validation.total_ratio * sum(measured_ms), rel=1e-3
    )
    assert json.loads(json.dumps(pair.figures))["device"] == "NVIDIA A30"


def test_the_gpu_and_the_release_are_those_of_the_files_unless_named(measured, model):
    plan = plan_at(measured)
    target = target_of(plan, None)
    assert (target.device.name, target.release) == ("NVIDIA A30", Release(10, 4))
    assert {kind.label for kind in target.allowed} == {"FP16"}
    assert own_pair(plan, model, find_device("T4")).figures["reported_device"] == "NVIDIA A30"
    named = target_of(plan, find_device("T4"), "8.6")
    assert (named.device.name, named.release) == (find_device("T4").name, Release(8, 6))


def test_refused_without_times(measured, model, tmp_path):
    (tmp_path / "alexnet.graph.json").write_text((measured / "alexnet.graph.json").read_text())
    with pytest.raises(TrexError, match="no layer times") as refused:
        own_pair(plan_at(tmp_path), model, find_device("A30"))
    assert "--exportProfile" in refused.value.hint


def profile_of(measured: Path, folder: Path) -> list[dict[str, Any]]:
    """The records of the engine's profile; its other files are copied to the folder."""
    for kind in ("graph", "profile.metadata"):
        (folder / f"alexnet.{kind}.json").write_text((measured / f"alexnet.{kind}.json").read_text())
    records: list[dict[str, Any]] = json.loads((measured / "alexnet.profile.json").read_text())
    return records


def test_refused_with_times_that_cannot_be_trusted(measured, model, tmp_path):
    profile = profile_of(measured, tmp_path)
    write(tmp_path, "profile", profile)
    (tmp_path / "alexnet.profile.json").write_text(json.dumps(profile)[:-300])
    with pytest.raises(TrexError, match="times can't be trusted: the file is cut off"):
        own_pair(plan_at(tmp_path), model)
    write(tmp_path, "timing", [{"computeMs": 1e-3 * sum(record["averageMs"] for record in profile[1:])}] * 20)
    write(tmp_path, "profile", profile)
    with pytest.raises(TrexError, match="times can't be trusted: the layers add up to") as refused:
        own_pair(plan_at(tmp_path), model)
    assert refused.value.where.endswith("profile.json") and "one run" in refused.value.hint


def test_kinds_of_work_with_a_layer_without_a_time_have_no_error(measured, model, tmp_path):
    profile = profile_of(measured, tmp_path)
    write(tmp_path, "profile", profile[:4])
    part = own_pair(plan_at(tmp_path), model)
    assert part.validation.total_ratio is None and all(work.layers[0] == work.layers[1] for work in part.works)
    known = [work.measured_ms is not None for work in part.works]
    assert {*known} == {True, False} and known == sorted(known, reverse=True)
    document = pair_document(part.figures, plan_at(tmp_path).notes)
    assert "layers-not-profiled" in [note.code for note in document.notes]
    assert [row[-2] is not None for row in works_table(part.figures["works"]).rows] == known


def test_refused_without_a_gpu(measured, model, tmp_path):
    for kind in ("graph", "profile"):
        (tmp_path / f"alexnet.{kind}.json").write_text((measured / f"alexnet.{kind}.json").read_text())
    with pytest.raises(TrexError, match="do not name the GPU") as refused:
        own_pair(plan_at(tmp_path), model)
    assert "--device" in refused.value.hint


def test_refused_with_predicted_times(model):
    with pytest.raises(TrexError, match="predicted, not measured"):
        own_pair(load_simulated("resnet18-fp16"), model)


def test_refused_with_the_model_of_another_engine(measured, tmp_path):
    vgg = str(write_network("bert-base", tmp_path / "bert.onnx", 4))
    with pytest.raises(TrexError, match="input 'input' is not among those of this model: input_ids"):
        own_pair(plan_at(measured), vgg)
    numbers = str(write_network("vgg16", tmp_path / "vgg.onnx", 4))
    renamed = (measured / "alexnet.graph.json").read_text().replace("features", "f").replace("classifier", "c")
    folder = tmp_path / "renamed"
    folder.mkdir()
    (folder / "alexnet.graph.json").write_text(renamed)
    profile = (measured / "alexnet.profile.json").read_text().replace("features", "f").replace("classifier", "c")
    (folder / "alexnet.profile.json").write_text(profile)
    with pytest.raises(TrexError, match="0 of the engine's 11 kernels are named by operators"):
        own_pair(plan_at(folder), numbers, find_device("A30"))


def test_refused_with_a_wider_model_of_the_same_names(measured, model, tmp_path):
    import onnx

    wider = onnx.load(model, load_external_data=False)
    for tensor in wider.graph.initializer:
        tensor.dims[:2] = [size if size in (3, 1000) else 2 * size for size in tensor.dims[:2]]
    onnx.save(wider, tmp_path / "wider.onnx")
    with pytest.raises(TrexError, match="8 of 8 layers with GEMMs or convolutions contradict its operators") as refused:
        own_pair(plan_at(measured), str(tmp_path / "wider.onnx"), find_device("A30"))
    assert "not used" not in refused.value.message
