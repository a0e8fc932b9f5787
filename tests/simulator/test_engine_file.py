"""A simulated engine's file may be anyone's."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from trex.core.errors import TrexError
from trex.simulator.engine_file import SCHEMA, SimulatedEngine, read_engine

GOOD = {
    "schema": SCHEMA, "statement": "s", "model": "m.onnx", "model_sha256": "", "device": {"name": "A100"},
    "release": "10.4", "allowed": ["FP16"], "strongly_typed": False, "shapes": {"x": [1, 3]}, "graph": {"Layers": []},
    "layer_ms": [0.1, None], "compute_ms": 0.1, "low_ms": 0.05, "high_ms": 0.2, "enqueue_ms": 0.1,
    "validated_engines": 3, "unjudged": {"a": 0.5}, "unknown_work": {}, "decisions": [{}], "mark": "simulated",
    "cuda_graph": True,
}  # fmt: skip


def read(path: Path, document: dict[str, object]) -> SimulatedEngine:
    path.write_text(json.dumps(document))
    return read_engine(path)


def test_every_field_is_in_the_file() -> None:
    assert {field.name for field in fields(SimulatedEngine)} == GOOD.keys() - {"schema"}


@pytest.mark.parametrize("name", sorted(GOOD.keys() - {"schema"}))
@pytest.mark.parametrize("value", [None, -1, "x", [1], {"a": "b"}, [None]])
def test_a_field_of_another_type_is_refused(tmp_path: Path, name: str, value: object) -> None:
    read(tmp_path / "good.engine", GOOD)
    is_allowed = type(value) is type(GOOD[name]) and not isinstance(value, list | dict)
    if name in ("device", "graph") and isinstance(value, dict):
        is_allowed = True
    if name in ("compute_ms", "low_ms", "high_ms", "enqueue_ms", "validated_engines") and value == -1:
        is_allowed = True
    if name == "layer_ms" and value in ([1], [None]):
        is_allowed = True
    if is_allowed:
        read(tmp_path / "x.engine", {**GOOD, name: value})
    else:
        with pytest.raises(TrexError, match="another trex version"):
            read(tmp_path / "x.engine", {**GOOD, name: value})
