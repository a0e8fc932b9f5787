"""Target: the GPU, release, types and launches that an engine is predicted for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.core.release import Release, release_from_text
from trex.core.shape import Shape
from trex.perf.device import Device

DEFAULT_RELEASE = Release(10, 4, 0)
OLDEST, NEWEST = (8, 4), (11, 1)
"""Releases whose engines can be simulated."""


def simulated_release(text: str) -> Release:
    """The release that a user names, by default DEFAULT_RELEASE. Raises TrexError for one that is not simulated."""
    release = release_from_text(text) if text else DEFAULT_RELEASE
    if release is None or not OLDEST <= release.pair <= NEWEST:
        oldest, newest = (".".join(map(str, pair)) for pair in (OLDEST, NEWEST))
        raise TrexError(
            f"engines of TensorRT {text!r} cannot be simulated",
            f"name a release from {oldest} to {newest}: --as-release 10.4",
        )
    return release


@dataclass(frozen=True)
class Target:
    """device: its compute capability determines the available kernels. release: determines the rules and the form of
    the engine. allowed: types in addition to FP32 that layers may compute in (``--fp16``, ``--int8`` …); empty in a
    strongly typed network, which keeps the ONNX model's own types. shapes: {input: shape} for dynamic dimensions.
    cuda_graph: whether the kernels are launched as one graph.
    """

    device: Device
    release: Release = DEFAULT_RELEASE
    allowed: frozenset[DataType] = frozenset()
    strongly_typed: bool = False
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    cuda_graph: bool = True

    @property
    def capability(self) -> tuple[int, int]:
        """(8, 0) for an A100; (0, 0) if unknown."""
        return self.device.compute_capability or (0, 0)

    def allows(self, data_type: DataType) -> bool:
        """Whether the builder may compute a layer in that type; FP32 always, unless the network is strongly typed."""
        return not self.strongly_typed and (data_type is DataType.FP32 or data_type in self.allowed)
