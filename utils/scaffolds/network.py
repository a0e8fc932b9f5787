"""An example model: ``trex examples NAME --model``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="examples/networks",
    plug='''\
"""$title: two convolutions, as an exporter writes them.

Source: the paper or model card, with the number of MACs and parameters that it gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trex.examples.net import Net, path_of
from trex.examples.network import Network, NetworkOptions

if TYPE_CHECKING:
    import onnx


def _make(options: NetworkOptions) -> onnx.ModelProto:
    net = Net("$name", weights=options.weights)
    x = net.input("input", (options.batch, 3, 224, 224))
    x = net.node("Relu", net.conv(x, "conv1", (3, 64), 3, stride=1, padding=1), at=path_of("relu"))
    x = net.conv(x, "conv2", (64, 64), 3, stride=1, padding=1)
    net.output("output", x, (options.batch, 64, 224, 224))
    return net.model(opset=17, ir_version=8)


NETWORK = Network(_make, {"": "$title in FP32"}, has_names=False)
''',
    test='''\
"""The example network ``$name``."""

from __future__ import annotations

import pytest

from trex.examples.network import make_network, network_names

pytest.importorskip("onnx")


def test_its_operators() -> None:
    assert [node.op_type for node in make_network("$name").graph.node] == ["Conv", "Relu", "Conv"]


def test_its_variants() -> None:
    assert {name for name in network_names() if name.startswith("$name")} == {"$name"}
''',
    related=("tests/examples/test_network.py",),
)
