"""Judged networks: their sources, and that the published ones have stored weights."""

from __future__ import annotations

from collections import Counter

import pytest

from trex.examples.building_blocks import block_names
from trex.examples.judged_networks import judged_networks
from trex.examples.network import network_names

pytest.importorskip("onnx")


def test_all_sources_are_there_once() -> None:
    networks = list(judged_networks())
    assert len({network.name for network in networks}) == len(networks)
    families = Counter(network.family.partition(":")[0] for network in networks)
    assert families["example networks"] == len(network_names())
    assert families["blocks"] == len(block_names())
    assert families["published networks (onnx)"] == 9
    assert families["operators (onnx)"] > 100


def test_a_published_network_stores_its_weights_and_names_its_nodes() -> None:
    network = next(network for network in judged_networks() if network.name == "onnx-squeezenet")
    model = network.make()
    assert not [node for node in model.graph.node if node.op_type == "ConstantOfShape"]
    stored = {tensor.name for tensor in model.graph.initializer}
    assert all(set(node.input[1:]) <= stored for node in model.graph.node if node.op_type == "Conv")
    assert all(node.name for node in model.graph.node)
    assert network.serialized() == network.serialized()
