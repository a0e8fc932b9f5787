"""Records as TensorRT writes them, and the plans that are read from them: ``plan_of(folder, [layer("a", …)], …)``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import trex

LINEAR = "Row major linear FP16 format"
Record = dict[str, Any]


def tensor(name: str, dims: Sequence[int] = (1, 8, 4, 4), written: str | None = LINEAR, **keys: Any) -> Record:
    """One tensor record; ``written`` is its Format/Datatype, None for a record without one."""
    record: Record = {"Name": name, "Location": "Device", "Dimensions": list(dims)}
    if written is not None:
        record["Format/Datatype"] = written
    return record | keys


def tensors(items: Iterable[Record | str]) -> list[Record]:
    return [tensor(item) if isinstance(item, str) else item for item in items]


def layer(
    name: str,
    kind: str = "PointWiseV2",
    inputs: Iterable[Record | str] = (),
    outputs: Iterable[Record | str] = (),
    **keys: Any,
) -> Record:
    """One layer record; a bare name stands for a small FP16 tensor."""
    return {"Name": name, "LayerType": kind, "Inputs": tensors(inputs), "Outputs": tensors(outputs)} | keys


def convolution(name: str, source: Record | str, output: Record | str, **keys: Any) -> Record:
    """An FP16 convolution of 8 to 8 channels with a 3×3 window and without a bias, unless ``keys`` say otherwise."""
    own = {
        "ParameterType": "Convolution",
        "Kernel": [3, 3],
        "Stride": [1, 1],
        "Dilation": [1, 1],
        "Groups": 1,
        "OutMaps": 8,
        "Weights": {"Type": "Half", "Count": 576},
        "Bias": {"Type": "Half", "Count": 0},
        "HasBias": 0,
        "HasReLU": 0,
        "Activation": "NONE",
        "TacticValue": "0x0000000000000000",
    }
    return layer(name, "CaskConvolution", [source], [output], **(own | keys))


def chain(*names: str, kind: str = "PointWiseV2") -> list[Record]:
    """Layers one after the other from ``x`` over ``t1``, ``t2`` … to ``y``."""
    wires = ["x", *(f"t{index}" for index in range(1, len(names))), "y"]
    return [layer(name, kind, [wires[i]], [wires[i + 1]]) for i, name in enumerate(names)]


def times(*rows: tuple[str, float], count: int | None = 10, **keys: Any) -> list[Record]:
    """A profile of (name, average milliseconds) rows; ``keys`` are added to every record."""
    total = sum(average for _, average in rows) or 1.0
    head: list[Record] = [] if count is None else [{"count": count}]
    return head + [
        {
            "name": name,
            "timeMs": average * (count or 1),
            "averageMs": average,
            "medianMs": average,
            "percentage": 100 * average / total,
        }
        | keys
        for name, average in rows
    ]


def graph_file(folder: Path, layers: Any, bindings: Any = ("x", "y"), name: str = "m", **keys: Any) -> Path:
    """Writes a graph JSON; bindings None for a file without a list of them."""
    document = {"Layers": layers} | ({} if bindings is None else {"Bindings": list(bindings)}) | keys
    return written(folder / f"{name}.graph.json", document)


def written(path: Path, document: Any) -> Path:
    data = document if isinstance(document, bytes) else json.dumps(document, ensure_ascii=False).encode()
    path.write_bytes(data)
    return path


def plan_of(
    folder: Path, layers: Any, bindings: Any = ("x", "y"), profile: Any = None, profile_id: int | None = None
) -> trex.EnginePlan:
    """The plan of a graph file with these layers and, if given, a profile."""
    graph = graph_file(folder, layers, bindings)
    timing = None if profile is None else written(folder / "m.profile.json", profile)
    return trex.EnginePlan(graph, timing, profile_id=profile_id)


def sizes(plan: trex.EnginePlan) -> dict[str, int | None]:
    """Tensor name → stored bytes."""
    return {t.name: t.size_bytes for item in plan.engine.layers for t in (*item.inputs, *item.outputs)}


def codes(plan: Any) -> set[str]:
    return {note.code for note in plan.notes}
