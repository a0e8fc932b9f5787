"""Engines in JSON: what was drafted is read back by the ordinary reader, in every form."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.simulator.models import Net, small_cnn, target
from trex.core.data_type import DataType
from trex.core.model import Model
from trex.core.release import Release
from trex.ingest.graph_json import read_graph
from trex.perf.work.plan_works import work_of
from trex.simulator.draft import StepKind
from trex.simulator.draft_editor import DraftEditor
from trex.simulator.engine_json import MARK, engine_document
from trex.simulator.initial_draft import KIND_OF, initial_draft
from trex.simulator.target import DEFAULT_RELEASE

RELEASES = [Release(8, 4), Release(8, 6), Release(10, 4), Release(10, 16), Release(11, 1)]


def document_of(model: Model, release: Release = DEFAULT_RELEASE) -> dict[str, Any]:
    return engine_document(initial_draft(model, target(release=release)), "simulated for a test")


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_the_reader_reads_every_form(release: Release) -> None:
    engine = read_graph(json.dumps(document_of(small_cnn(), release)).encode())
    assert len(engine.layers) == 10
    assert engine.extra[MARK] == "simulated for a test"
    assert [binding.name for binding in engine.bindings] == ["x", "y"]
    first = engine.layers[0]
    assert first.type == ("Convolution" if release.major < 11 else "correlation")
    assert first.inputs[0].shape == (1, 3, 32, 32)
    assert first.outputs[0].data_type is DataType.FP32
    if release.pair >= (8, 6):
        assert first.origins == ("Conv_0",)


def test_a_convolution_tells_enough_to_count_its_work() -> None:
    engine = read_graph(json.dumps(document_of(small_cnn())).encode())
    assert work_of(engine.layers[0]).macs == 32 * 32 * 64 * 3 * 9


def test_a_fused_convolution_is_named_after_its_parts() -> None:
    draft = initial_draft(small_cnn(), target())
    conv, relu = draft.steps[:2]
    fused = replace(
        conv, operators=(*conv.operators, *relu.operators), outputs=relu.outputs, facts={"activation": "RELU"}
    )
    built = engine_document(replace(draft, steps=(fused, *draft.steps[2:])), "")
    assert built["Layers"][0]["Name"] == "Conv_0 + Relu_1"
    assert built["Layers"][0]["HasReLU"] == 1
    assert built["Layers"][0]["Metadata"] == "[ONNX Layer: Conv_0]\x1e[ONNX Layer: Relu_1]"


def test_copies_are_named_after_whom_they_serve() -> None:
    draft = initial_draft(small_cnn(), target())
    editor = DraftEditor(draft, "test")
    copy = editor.add_tensor("x", "copy of x", DataType.FP16)
    step = draft.steps[0]
    editor.add(
        replace(step, kind=StepKind.REFORMAT, operators=(), main=None, constants=(), outputs=(copy,)), neighbor=0
    )
    editor.rename_input(0, "x", copy)
    built = engine_document(editor.done(), "")["Layers"]
    assert built[0]["Name"] == "Reformatting CopyNode for Input Tensor 0 to Conv_0"
    assert built[0]["Outputs"][0]["Name"] == "Reformatted Input Tensor 0 to Conv_0"
    assert built[1]["Inputs"][0]["Name"] == "Reformatted Input Tensor 0 to Conv_0"


def test_kernels_are_invented_and_say_so() -> None:
    tactics = [layer.get("TacticName", "") for layer in document_of(small_cnn())["Layers"]]
    assert any(tactics)
    assert all(not name or name.startswith("sim_") for name in tactics)


@pytest.mark.parametrize("type_", sorted({*KIND_OF, "NoSuchOperator"}))
def test_every_operator_can_be_told(type_: str) -> None:
    net = Net(x=(2, 8, 4, 4))
    net.stored("w", 8, 8, 1, 1)
    net.add(type_, "x w", "y", 2, 8, 4, 4)
    engine = read_graph(json.dumps(document_of(net.model("y"))).encode())
    assert len(engine.layers) == 1
