"""EnginePlan → DataFrame of its pointwise layers: what they compute, what they cost, and their neighbors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trex.plan.engine_plan import EnginePlan

if TYPE_CHECKING:
    import pandas as pd

_KINDS = ("PointWise", "PointWiseV2", "ElementWise", "Activation", "Unary", "Scale", "pointwise")
_TAKES_IN = ("Convolution", "Deconvolution", "gemm", "MatrixMultiply", "FullyConnected", "PointWise", "PointWiseV2")


def pointwise_table(plan: EnginePlan) -> pd.DataFrame:
    """One row per pointwise layer: Name, type, precision, latency.avg_time (ms), operations, producers, might join.

    might join: a producer of a kind that takes pointwise operations in, whose only reader this layer is. Source: the
    list of fusions in NVIDIA's TensorRT documentation ("Types of Fusions"). Empty where there is none. attrs: those of
    ``plan.df``, which say if times are predicted or in doubt.
    """
    import pandas as pd

    writers = {tensor.name: layer for layer in plan.working_layers for tensor in layer.outputs}
    readers: dict[str, int] = {}
    for layer in plan.working_layers:
        for tensor in layer.inputs:
            readers[tensor.name] = readers.get(tensor.name, 0) + 1
    rows = []
    for layer, time in zip(plan.working_layers, plan.times, strict=True):
        if layer.type not in _KINDS:
            continue
        before = [(tensor.name, writers[tensor.name]) for tensor in layer.inputs if tensor.name in writers]
        joinable = [item.name for name, item in before if item.type in _TAKES_IN and readers[name] == 1]
        operations = layer.raw.get("Operations")
        rows.append(
            {
                "Name": layer.name,
                "type": layer.type,
                "precision": layer.precision,
                "latency.avg_time": None if time is None else time.average_ms,
                "operations": len(operations) if isinstance(operations, list) else None,
                "producers": ", ".join(item.name for _, item in before),
                "might join": ", ".join(joinable),
            }
        )
    columns = ["Name", "type", "precision", "latency.avg_time", "operations", "producers", "might join"]
    result: pd.DataFrame = pd.DataFrame(rows, columns=columns)
    result.attrs.update(plan.df.attrs)
    return result
