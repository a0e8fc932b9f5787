"""Fused groups and copies of predictions beside those of real engines, and how groups are compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulator.models import target
from trex.core.data_type import DataType
from trex.core.release import Release
from trex.examples.network import write_network
from trex.ingest.graph_json import read_graph
from trex.ingest.onnx_model import read_model
from trex.simulator.builder import build
from trex.simulator.groups import Groups, groups_of_draft, groups_of_layers, share_equal

pytest.importorskip("onnx")

FP32: tuple[DataType, ...] = ()
FP16 = (DataType.FP16,)
INT8 = (DataType.FP16, DataType.INT8)
# Engine, its ONNX twin, flags, device, release, batch, least share of fused groups, copies that must be the same.
CASES = {
    "trt8.4-resnet18-a100-fp32": ("resnet18", FP32, "A100", (8, 4), 32, 0.95, 1),
    "trt8.4-resnet18-a100-fp16": ("resnet18", FP16, "A100", (8, 4), 32, 0.95, 2),
    "trt8.4-resnet18-a100-qat": ("resnet18-qat", INT8, "A100", (8, 4), 32, 0.95, 12),
    "trt8.4-resnet18-a100-qat-residual": ("resnet18-qat-residual", INT8, "A100", (8, 4), 32, 0.95, 3),
    "trt8.4-resnet18-a100-qat-residual-qgap": ("resnet18-qat-residual-qgap", INT8, "A100", (8, 4), 32, 0.95, 1),
    "trt8.4-mobilenetv2-qat": ("mobilenet-v2-qat", INT8, "T4", (8, 4), 1, 0.9, 18),
    "trt8.4-mobilenetv2-qat-residuals": ("mobilenet-v2-qat-residual", INT8, "T4", (8, 4), 1, 0.9, 3),
    "trt8.2-resnet50-rtx3090-fp32": ("resnet50", FP32, "RTX 3090", (8, 2), 32, 0.9, None),
    "trt8.2-resnet50-rtx3090-fp16": ("resnet50", FP16, "RTX 3090", (8, 2), 32, 0.9, 2),
    "trt8.2-resnet50-rtx3090-qat": ("resnet50-qat", INT8, "RTX 3090", (8, 2), 32, 0.9, 2),
    "trt10.1-alexnet-onnx": ("alexnet-fp16", FP32, "A100", (10, 1), 1, 0.9, None),
    "trt10.4-alexnet-fp16-rtx3060": ("alexnet-fp16", FP16, "RTX 3060", (10, 4), 1, 0.9, None),
    "trt10.4-resnet18-fp16-rtx3060": ("resnet18-fp16", FP16, "RTX 3060", (10, 4), 1, 0.9, 1),
}


@pytest.mark.parametrize("name", CASES)
def test_fused_groups_and_copies_are_those_of_the_real_engine(name: str, shared_engines: Path, tmp_path: Path) -> None:
    network, flags, device, release, batch, least, copies = CASES[name]
    model = read_model(write_network(network, tmp_path / "model.onnx", batch))
    graph = next((shared_engines / name).glob("*.graph.json"))
    real = groups_of_layers(read_graph(graph.read_bytes(), str(graph)).layers, model)
    mine = groups_of_draft(build(model, target(device, *flags, release=Release(*release))))
    assert share_equal(real.fused, mine.fused) >= least
    if copies is not None:
        assert real.copy_count == mine.copy_count == copies
        assert mine.copies == real.copies


def test_shares_count_members_of_the_larger_one() -> None:
    assert share_equal({}, {}) == 1
    assert share_equal({"a": 1, "b": 2}, {"a": 1, "b": 1}) == 2 / 3
    assert share_equal({"a": 1}, {"b": 1}) == 0


def test_groups_are_counted() -> None:
    groups = Groups({frozenset("ab"): 2, frozenset("c"): 1}, {"into a": 1})
    assert (groups.fused_count, groups.copy_count) == (3, 1)
