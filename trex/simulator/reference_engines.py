"""ReferenceEngine: a real engine's folder and its origin: an example network, batch, types, GPU and release."""

from __future__ import annotations

from dataclasses import dataclass

from trex.core.data_type import DataType
from trex.core.release import Release
from trex.perf.recognize import find_device
from trex.simulator.target import Target

_FP16, _INT8 = frozenset({DataType.FP16}), frozenset({DataType.FP16, DataType.INT8})
_A100, _RTX_3090, _TITAN = "A100 80GB PCIe", "RTX 3090", "TITAN RTX"
_LAPTOP = "NVIDIA GeForce RTX 3060 Laptop GPU"


@dataclass(frozen=True)
class ReferenceEngine:
    """engine: the folder's name. network: of ``trex.examples``, at this batch. device: of the build.

    release: the form of the prediction, 8.4 for older ones. allowed: types in addition to FP32. is_walk_through: one of
    the published Q/DQ walk-through, whose numbers of reformats are known: 1, 2, 12, 3 and 1.
    """

    engine: str
    network: str
    batch: int
    device: str
    release: Release
    allowed: frozenset[DataType] = frozenset()
    is_walk_through: bool = False
    knows_device: bool = True
    """Whether its GPU is known; if not, ``device`` is assumed and times are not compared."""

    @property
    def target(self) -> Target:
        return Target(find_device(self.device), self.release, self.allowed)

    @property
    def types(self) -> str:
        """``FP32+FP16+INT8``, as in trtexec."""
        return "+".join(["FP32", *sorted(data_type.label for data_type in self.allowed)])


_8_4 = Release(8, 4)
REFERENCE_ENGINES = (
    ReferenceEngine("trt8.4-resnet18-a100-fp32", "resnet18", 32, _A100, _8_4, is_walk_through=True),
    ReferenceEngine("trt8.4-resnet18-a100-fp16", "resnet18", 32, _A100, _8_4, _FP16, True),
    ReferenceEngine("trt8.4-resnet18-a100-qat", "resnet18-qat", 32, _A100, _8_4, _INT8, True),
    ReferenceEngine("trt8.4-resnet18-a100-qat-residual", "resnet18-qat-residual", 32, _A100, _8_4, _INT8, True),
    ReferenceEngine(
        "trt8.4-resnet18-a100-qat-residual-qgap", "resnet18-qat-residual-qgap", 32, _A100, _8_4, _INT8, True
    ),
    ReferenceEngine("trt10.4-resnet18-fp16-rtx3060", "resnet18-fp16", 1, _LAPTOP, Release(10, 4), _FP16),
    ReferenceEngine("trt10.4-alexnet-fp16-rtx3060", "alexnet-fp16", 1, _LAPTOP, Release(10, 4), _FP16),
    ReferenceEngine("trt10.1-alexnet-onnx", "alexnet-fp16", 1, _LAPTOP, Release(10, 1), knows_device=False),
    ReferenceEngine("trt8.2-resnet50-rtx3090-fp32", "resnet50", 32, _RTX_3090, _8_4),
    ReferenceEngine("trt8.2-resnet50-rtx3090-fp16", "resnet50", 32, _RTX_3090, _8_4, _FP16),
    ReferenceEngine("trt8.2-resnet50-rtx3090-qat", "resnet50-qat", 32, _RTX_3090, _8_4, _INT8),
    ReferenceEngine("trt8.4-mobilenetv2-qat", "mobilenet-v2-qat", 1, _TITAN, _8_4, _INT8),
    ReferenceEngine("trt8.4-mobilenetv2-qat-residuals", "mobilenet-v2-qat-residual", 1, _TITAN, _8_4, _INT8),
    ReferenceEngine("trt10.4-mobilenetv2-fp16-rtx3060", "mobilenet-v2-fp16", 1, _LAPTOP, Release(10, 4), _FP16),
)
"""Engines whose models ``trex.examples`` rebuilds."""
HELD_OUT = frozenset({"trt10.4-mobilenetv2-fp16-rtx3060"})
"""Engines that no constant is fitted to, so that they test the shipped constants."""
