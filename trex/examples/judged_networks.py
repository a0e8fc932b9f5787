"""Judged networks: what simulated engines are compared with real builds for, every one with data for its weights.

Four sources: the example networks in all their precisions, the building blocks, the published networks in the package
``onnx`` (its backend tests' ``light`` models), and every tenth of ONNX's backend tests of operators.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from trex.examples.building_blocks import block_names, make_block
from trex.examples.network import make_network, network_names

if TYPE_CHECKING:
    import onnx

_EVERY = 10
_IR = 8
"""From 4 on, stored weights need not be inputs."""


@dataclass(frozen=True)
class JudgedNetwork:
    """make: its model, whose nodes all have names."""

    name: str
    family: str
    make: Callable[[], onnx.ModelProto]

    def serialized(self) -> bytes:
        return bytes(self.make().SerializeToString())


def judged_networks() -> Iterator[JudgedNetwork]:
    """In a fixed order. Needs the package ``onnx``."""
    for name in network_names():
        yield JudgedNetwork(name, "example networks", partial(make_network, name, weights="random"))
    for path in sorted(_published().glob("*.onnx")):
        name = path.stem.removeprefix("light_")
        yield JudgedNetwork(f"onnx-{name}", "published networks (onnx)", partial(_stored, path))
    for name, family in block_names().items():
        yield JudgedNetwork(name, f"blocks: {family}", partial(make_block, name))
    for name, model in _operators():
        yield JudgedNetwork(f"onnx-{name}", "operators (onnx)", partial(_named, model))


def _published() -> Path:
    import onnx

    return Path(onnx.__file__).parent / "backend/test/data/light"


def _operators() -> list[tuple[str, onnx.ModelProto]]:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = sorted(collect_testcases(None), key=lambda case: str(case.name))
    return [(case.name.removeprefix("test_"), case.model) for case in cases[::_EVERY] if case.model is not None]


def _stored(path: Path) -> onnx.ModelProto:
    """A published network with random weights: it computes them by ConstantOfShape, and so would its engine."""
    import numpy as np
    import onnx
    from onnx import numpy_helper

    model = onnx.load(str(path))
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    generator = np.random.default_rng(0)
    nodes = list(model.graph.node)
    del model.graph.node[:]
    for node in nodes:
        if node.op_type == "ConstantOfShape" and node.input[0] in shapes:
            shape = shapes[node.input[0]].tolist()
            data = np.abs(generator.standard_normal(shape, dtype=np.float32)) * np.float32(0.05) + np.float32(0.01)
            model.graph.initializer.append(numpy_helper.from_array(data, node.output[0]))
        else:
            model.graph.node.append(node)
    model.ir_version = max(model.ir_version, _IR)
    return _named(model)


def _named(model: onnx.ModelProto) -> onnx.ModelProto:
    for index, node in enumerate(model.graph.node):
        node.name = node.name or f"{node.op_type}_{index}"
    return model
