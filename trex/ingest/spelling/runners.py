"""Runner ids ↔ names: what times and runs a native tactic, as ``CaskConvolution[0x80000009]`` in logs.

Source: verbose logs of TensorRT 10.4 and 10.16. The numbers are not documented; an id without a name here stays a
number.
"""

from __future__ import annotations

RUNNERS = {
    0x80000000: "CudnnConvolution",
    0x80000005: "CudnnPooling",
    0x80000006: "Reformat",
    0x80000009: "CaskConvolution",
    0x8000000D: "Shuffle",
    0x80000022: "LogSoftmaxTopK",
    0x80000023: "Myelin",
    0x80000028: "PointWiseV2",
    0x80000029: "CublasConvolution",
    0x8000002E: "CaskGemmConvolution",
    0x8000002F: "CaskPooling",
    0x80000035: "MyelinReformat",
    0x80000036: "CaskFlattenConvolution",
    0x80000043: "MyelinLogSoftmaxTopK",
    0x80000049: "PluginV3",
}


def runner_name(runner: int | None) -> str:
    """``Reformat``; ``0x80000047`` for an id whose name no log has said; "" for none."""
    return "" if runner is None else RUNNERS.get(runner, f"0x{runner:08x}")
