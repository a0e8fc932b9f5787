"""Layers and a device with round figures, for the tests of the times."""

from __future__ import annotations

from typing import Any

from tests.factories import conv, layer, t
from trex.core.layer import Layer
from trex.perf.device import Device
from trex.simulator.timing.parameters import parameters


def a_device(**changes: Any) -> Device:
    """An A100 by its figures, without the note on its power: 108 SMs, 1.41 GHz, 2000 GB/s, 40 MiB of L2."""
    facts: dict[str, Any] = {
        "name": "NVIDIA Round",
        "compute_capability": (8, 0),
        "sm_count": 108,
        "clock_ghz": 1.41,
        "bandwidth_gb_per_s": 2000.0,
        "l2_mib": 40.0,
        "l2_bytes_per_clock": 5120.0,
    }
    return Device(**(facts | changes))


def convolution(
    name: str = "conv", batch: int = 32, channels: int = 64, out: int = 64, side: int = 56, kernel: int = 3,
    type: str = "FP16", format: str = "NHWC8", groups: int = 1,
) -> Layer:  # fmt: skip
    """A convolution that keeps the image's size."""
    return conv(
        name,
        inputs=[t(f"{name}.x", [batch, channels, side, side], type, format)],
        outputs=[t(f"{name}.y", [batch, out, side, side], type, format)],
        kernel=[kernel, kernel],
        groups=groups,
    )


def copy(name: str = "copy", shape: tuple[int, ...] = (32, 64, 56, 56), type: str = "FP16") -> Layer:
    """A reformat."""
    return layer(name, "Reformat", [t(f"{name}.x", shape, type)], [t(f"{name}.y", shape, type, "NHWC8")])


def prior_values(*capabilities: tuple[int, int]) -> dict[str, float]:
    """Every parameter at its prior."""
    return {item.name: item.prior for item in parameters(capabilities)}
