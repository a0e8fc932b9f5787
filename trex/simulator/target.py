"""Target: what an engine is predicted for — a GPU, a release, the types the builder may choose from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trex.core.data_type import DataType
from trex.core.release import Release
from trex.core.shape import Shape
from trex.perf.device import Device

DEFAULT_RELEASE = Release(10, 4, 0)


@dataclass(frozen=True)
class Target:
    """device: its compute capability decides what kernels there are. release: in whose form the engine is written, and
    whose rules hold. allowed: types beside FP32 that layers may compute in (``--fp16``, ``--int8`` …); nothing in a
    strongly typed network, where the ONNX model's own types hold. shapes: {input: shape} for dynamic dimensions.
    """

    device: Device
    release: Release = DEFAULT_RELEASE
    allowed: frozenset[DataType] = frozenset()
    strongly_typed: bool = False
    shapes: Mapping[str, Shape] = field(default_factory=dict)

    @property
    def capability(self) -> tuple[int, int]:
        """(8, 0) for an A100; (0, 0) when the device does not tell."""
        return self.device.compute_capability or (0, 0)

    def allows(self, data_type: DataType) -> bool:
        """Whether a layer may be computed in that type by the builder's own choice; FP32 always, unless the network is
        strongly typed."""
        return not self.strongly_typed and (data_type is DataType.FP32 or data_type in self.allowed)
