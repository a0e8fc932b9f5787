"""Engines that are measured: generated in four styles, written as the files that a user would have."""

from __future__ import annotations

import json
from collections.abc import Callable
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


def write_engine(folder: Path, style: str, layers: int) -> tuple[str, str]:
    """Paths of the graph and of the profile."""
    make, spelling = STYLES[style]
    description = make(layers)
    graph, profile = folder / f"{style}-{layers}{GRAPH}", folder / f"{style}-{layers}{PROFILE}"
    graph.write_text(json.dumps(spell_graph(description, spelling)), encoding="utf-8")
    profile.write_bytes(profile_bytes(profile_rows(description)))
    return str(graph), str(profile)
