"""Small engines with times, made for stores: thousands are added in seconds."""

from __future__ import annotations

import json
from pathlib import Path


def write_engine(
    folder: Path,
    name: str = "net",
    layer_ms: tuple[float, ...] = (0.5, 0.25),
    queries: int = 20,
    distinct: int = 4,
) -> Path:
    """A folder with graph, profile and per-query times; layers run one after the other. distinct: number of values that
    the times have; from five on, equal ones are of one run.
    """
    folder.mkdir(parents=True, exist_ok=True)
    layers = [_layer(number) for number in range(len(layer_ms))]
    graph = {"Layers": layers, "Bindings": ["t0", f"t{len(layers)}"]}
    profile: list[dict[str, object]] = [{"count": queries}]
    profile += [
        {"name": layer["Name"], "timeMs": ms * queries, "averageMs": ms, "medianMs": ms, "percentage": 1.0}
        for layer, ms in zip(layers, layer_ms)
    ]
    total = sum(layer_ms) * 0.9
    times = [_query(number * 10.0, total * (1.0 + 0.001 * (number % distinct))) for number in range(queries)]
    for ending, document in (("graph", graph), ("profile", profile), ("timing", times)):
        (folder / f"{name}.engine.{ending}.json").write_text(json.dumps(document))
    return folder


def _layer(number: int) -> dict[str, object]:
    return {
        "Name": f"conv{number}",
        "LayerType": "CaskConvolution",
        "ParameterType": "Convolution",
        "Inputs": [_tensor(number)],
        "Outputs": [_tensor(number + 1)],
        "Kernel": [1, 1],
        "Weights": {"Type": "Half", "Count": 4096},
        "TacticName": "sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize128x64x64_stage3",
        "TacticValue": "0x1",
    }


def _tensor(number: int) -> dict[str, object]:
    layout = "Channel major FP16 format where channel % 8 == 0"
    return {"Name": f"t{number}", "Dimensions": [1, 64, 8, 8], "Format/Datatype": layout}


def _query(start: float, ms: float) -> dict[str, float]:
    return {
        "startEnqMs": start,
        "endEnqMs": start + 0.01,
        "startH2dMs": start,
        "endH2dMs": start,
        "startComputeMs": start,
        "endComputeMs": start + ms,
        "startD2hMs": start + ms,
        "endD2hMs": start + ms,
        "h2dMs": 0.0,
        "computeMs": ms,
        "d2hMs": 0.0,
        "latencyMs": ms,
    }
