"""The inputs of an ONNX model, read without the package onnx: equal to the package's; broken files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.mocks import write_model
from trex.ingest.onnx_inputs import OnnxInput, onnx_inputs


def test_sizes_that_are_fixed_and_that_are_not(tmp_path: Path) -> None:
    model = write_model(tmp_path / "m.onnx", inputs={"input.1": [-1, 3, 224, 224], "größe:0": [1, 300], "s": []})
    assert onnx_inputs(model) == (
        OnnxInput("input.1", (-1, 3, 224, 224)),
        OnnxInput("größe:0", (1, 300)),
        OnnxInput("s", ()),
    )


def test_as_the_package_reads_it(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    make, kinds = onnx.helper, onnx.TensorProto
    inputs = [
        make.make_tensor_value_info("x", kinds.FLOAT, ["batch", 3, None, 32]),
        make.make_tensor_value_info("w", kinds.FLOAT, [3, 3]),
        make.make_tensor_value_info("sizes", kinds.INT64, [2]),
        make.make_tensor_value_info("unknown", kinds.FLOAT, None),
        make.make_tensor_sequence_value_info("several", kinds.FLOAT, None),
    ]
    weights = make.make_tensor("w", kinds.FLOAT, [3, 3], [0.5] * 9)
    nodes = [make.make_node("Add", ["x", "w"], ["y"])]
    graph = make.make_graph(nodes, "g", inputs, [make.make_tensor_value_info("y", kinds.FLOAT, None)], [weights])
    onnx.save(make.make_model(graph), tmp_path / "m.onnx")
    assert onnx_inputs(tmp_path / "m.onnx") == (
        OnnxInput("x", (-1, 3, -1, 32)),
        OnnxInput("sizes", (2,), may_hold_sizes=True),
        OnnxInput("unknown", None),
        OnnxInput("several", None),
    )


@pytest.mark.parametrize("data", [b"", b"ftrt" + bytes(40), b"{}", b"\x08\x08", b"\x08\x08:\xff\xff\xff\xff\x0f"])
def test_what_is_no_model_is_left_to_its_reader(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(data)
    assert onnx_inputs(tmp_path / "m.onnx") is None
    assert onnx_inputs(tmp_path) is None
    assert onnx_inputs(tmp_path / "other.onnx") is None


@settings(max_examples=200, deadline=None)
@given(offset=st.integers(0, 400), byte=st.integers(0, 255), cut=st.integers(0, 400))
def test_broken_models_are_none_or_read(offset: int, byte: int, cut: int, tmp_path_factory: Any) -> None:
    path = write_model(tmp_path_factory.getbasetemp() / "broken.onnx", inputs={"x": [-1, 3, 32], "y": [7]})
    data = bytearray(path.read_bytes())
    data[offset % len(data)] = byte
    path.write_bytes(data[: len(data) - cut % len(data)])
    read = onnx_inputs(path)
    assert read is None or all(isinstance(entry.name, str) for entry in read)
