"""Engines that are measured: generated in four styles, written as the files that a user would have."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from tests.synthetic.artifacts import GRAPH, PROFILE
from tests.synthetic.cnn import cnn
from tests.synthetic.description import Description
from tests.synthetic.irregular import irregular
from tests.synthetic.measurements import profile_bytes, profile_rows
from tests.synthetic.spellings import spell_graph
from tests.synthetic.transformer import transformer
from tests.synthetic.unet import unet

# Style → its maker, and the TensorRT release whose spelling it has.
STYLES: dict[str, tuple[Callable[[int], Description], str]] = {
    "cnn": (cnn, "8.4"),
    "myelin": (transformer, "10.4"),
    "unet": (unet, "8.6"),
    "irregular": (irregular, "8.6"),
}


def write_engine(folder: Path, style: str, layers: int, *, has_distinct_kernels: bool = False) -> tuple[str, str]:
    """Paths of the graph and of the profile. has_distinct_kernels: no two layers run a kernel of one name, as in large
    regions of Myelin, where each generated kernel's name ends in a digest of its own.
    """
    make, spelling = STYLES[style]
    description = make(layers)
    name = f"{style}-distinct-{layers}" if has_distinct_kernels else f"{style}-{layers}"
    graph, profile = folder / f"{name}{GRAPH}", folder / f"{name}{PROFILE}"
    document = spell_graph(description, spelling)
    if has_distinct_kernels:
        for number, layer in enumerate(document["Layers"]):
            if layer.get("TacticName"):
                layer["TacticName"] += f"_0x{sha256(str(number).encode()).hexdigest()[:32]}"
    graph.write_text(json.dumps(document), encoding="utf-8")
    profile.write_bytes(profile_bytes(profile_rows(description)))
    return str(graph), str(profile)
