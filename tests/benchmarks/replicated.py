"""A real engine → the same engine many times over, as large as a benchmark wants it.

Every copy has names of its own for layers, tensors and ONNX nodes, all else is as TensorRT wrote it. Copies read the
same inputs of the engine, and only the first writes its outputs: results of the others are read by nobody.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parent.parent.parent.parent / "shared" / "engines"
EXAMPLES = Path(__file__).resolve().parent.parent.parent / "trex" / "examples"
REAL: Mapping[str, tuple[Path, str]] = {
    "built transformer": (EXAMPLES / "transformer-fp16", "transformer-fp16"),
    "built resnet18": (EXAMPLES / "resnet18-int8", "resnet18-int8"),
    "resnet50 8.2": (SHARED / "trt8.2-resnet50-rtx3090-qat", "resnet-qat.onnx.engine"),
    "mobilenet 10.4": (SHARED / "trt10.4-mobilenetv2-fp16-rtx3060", "mobilenet_v2_fp16"),
    "controlnet 8.6": (SHARED / "trt8.6-controlnet-a10", "controlnet.engine"),
}
"""{name: folder and stem of its files}: two built by TensorRT for RTX on a CPU, three that others made."""
_NODE = re.compile(r"(?<![\w/.\-])/?[A-Za-z_][\w/.:\-]*\d[\w/.:\-]*")
_MYELIN = re.compile(r"_myl(\d+)")
_NAMES = ("Name", "Metadata")


def is_there(name: str) -> bool:
    return REAL[name][0].is_dir()


def write_replicated(folder: Path, name: str, layers: int) -> tuple[str, str]:
    """Paths of the graph and of the profile, with about so many layers."""
    source, stem = REAL[name]
    graph = json.loads((source / f"{stem}.graph.json").read_bytes())
    profile = json.loads((source / f"{stem}.profile.json").read_bytes())
    copies = max(1, round(layers / len(graph["Layers"])))
    written = {tensor["Name"] for layer in graph["Layers"] for tensor in layer["Outputs"]}
    graph["Layers"] = [layer for copy in range(copies) for layer in _renamed(graph["Layers"], written, copy)]
    rows = [row | {"name": _own(row["name"], copy)} for copy in range(copies) for row in profile if "name" in row]
    for row in rows:
        row["percentage"] /= copies
    out = folder / f"{name.replace(' ', '-')}-{layers}"
    out.mkdir(exist_ok=True)
    paths = out / f"{stem}.graph.json", out / f"{stem}.profile.json"
    paths[0].write_text(json.dumps(graph), encoding="utf-8")
    paths[1].write_text(json.dumps([*(row for row in profile if "name" not in row), *rows]), encoding="utf-8")
    return str(paths[0]), str(paths[1])


def _renamed(layers: list[dict[str, Any]], written: set[str], copy: int) -> Iterator[dict[str, Any]]:
    for layer in deepcopy(layers) if copy else layers:
        for key in _NAMES:
            if layer.get(key):
                layer[key] = _own(layer[key], copy)
        if layer.get("TacticName", "").startswith("__myl_"):  # a generated kernel: its hash is its own
            layer["TacticName"] += f"{copy:x}" if copy else ""
        for tensor in (*layer["Inputs"], *layer["Outputs"]):
            if tensor["Name"] in written:
                tensor["Name"] = _own(tensor["Name"], copy)
        yield layer


def _own(name: str, copy: int) -> str:
    """``Conv_3 + Relu_4`` → ``/part2/Conv_3 + /part2/Relu_4``; names of Myelin get another number of their region."""
    if not copy:
        return name
    if _MYELIN.search(name):
        return _MYELIN.sub(lambda match: f"_myl{copy}", name)
    renamed = _NODE.sub(lambda match: f"/part{copy}/{match[0].removeprefix('/')}", name)
    return renamed if renamed != name else f"/part{copy}/{name.lstrip('/')}"
