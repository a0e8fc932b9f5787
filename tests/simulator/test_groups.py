"""Groups of layers of predicted and real engines, and the share that they have in common."""

from __future__ import annotations

from pathlib import Path

import pytest

from trex.core.layer import Role
from trex.examples.network import write_network
from trex.ingest.graph_json import engine_from_documents, read_graph
from trex.ingest.onnx_model import read_model
from trex.simulator.builder import build
from trex.simulator.engine_json import engine_document
from trex.simulator.groups import Groups, groups_of_layers, share_equal
from trex.simulator.real_engines import REFERENCE_ENGINES, ReferenceEngine
from trex.simulator.validation import kept_figures

pytest.importorskip("onnx")


@pytest.mark.parametrize("reference", REFERENCE_ENGINES, ids=lambda reference: reference.engine)
def test_groups_and_reformats_match_the_shipped_figures(
    reference: ReferenceEngine, shared_engines: Path, tmp_path: Path
) -> None:
    figures = {entry["engine"]: entry for entry in kept_figures()["engines"]}[reference.engine]
    model = read_model(write_network(reference.network, tmp_path / "model.onnx", reference.batch))
    graph = next((shared_engines / reference.engine).glob("*.graph.json"))
    own = read_graph(graph.read_bytes(), str(graph)).layers
    real = groups_of_layers(own, model)
    layers = engine_from_documents([engine_document(build(model, reference.target), "")]).layers
    predicted = groups_of_layers(layers, model)
    kernels = [sum(layer.role is Role.KERNEL for layer in side) for side in (layers, own)]
    assert kernels == figures["layers"], "trex validate FOLDER --save validated.json"
    assert round(share_equal(real.fused, predicted.fused), 3) == figures["groups_equal"] >= 0.9
    assert [predicted.reformat_count, real.reformat_count] == figures["copies"]
    assert round(share_equal(real.reformats, predicted.reformats), 3) == figures["copies_equal"]


def test_shares_count_members_of_the_larger_side() -> None:
    assert share_equal({}, {}) == 1
    assert share_equal({"a": 1, "b": 2}, {"a": 1, "b": 1}) == 2 / 3
    assert share_equal({"a": 1}, {"b": 1}) == 0


def test_reformats_are_counted() -> None:
    assert Groups({frozenset("ab"): 2}, {"into a": 1, "out of c": 2}).reformat_count == 3
