"""Synthetic engines by name, loaded: of known structure, whatever the builder of the bundled examples predicts."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.synthetic.artifacts import artifacts
from tests.synthetic.cnn import resnet18_fp16, resnet18_int8
from tests.synthetic.description import Description
from tests.synthetic.transformer import vision_transformer
from trex.engine_plan import EnginePlan, load

_ENGINES: dict[str, tuple[Callable[[], Description], str]] = {
    "resnet18-fp16": (resnet18_fp16, "10.4"),
    "resnet18-int8": (resnet18_int8, "8.6"),
    "resnet18-int8-residual": (lambda: resnet18_int8(residual_quantizers=True), "8.6"),
    "transformer-fp16": (vision_transformer, "10.4"),
}


def synthetic_engine(name: str) -> EnginePlan:
    """A plan of its own, read from files like any other."""
    with tempfile.TemporaryDirectory() as folder:
        for file, data in _files(name).items():
            (Path(folder) / file).write_bytes(data)
        return load(folder)


@cache
def _files(name: str) -> dict[str, bytes]:
    describe, version = _ENGINES[name]
    return artifacts(describe(), version)
