"""Layers that a script sorted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.factories import engine, layer
from trex.core.engine import Engine
from trex.core.layer import Layer, Role
from trex.engine_plan import load
from trex.plan.execution_order import out_of_order


def codes(one: Engine) -> list[str]:
    return [note.code for note in out_of_order(one)]


def row(count: int) -> list[Layer]:
    """Each reads what the one before it wrote."""
    return [layer(str(number), inputs=[f"t{number}"], outputs=[f"t{number + 1}"]) for number in range(count)]


def test_layers_in_reverse_are_noted() -> None:
    layers = row(6)
    assert codes(engine(*layers)) == []
    assert codes(engine(*reversed(layers))) == ["layers-out-of-order"]


def test_a_state_that_is_kept_between_runs_is_in_order() -> None:
    states = [
        layer("a", inputs=["x", "state", "cell"], outputs=["h"]),
        layer("b", inputs=["h"], outputs=["state", "cell"]),
    ]
    assert codes(engine(*states)) == []


def test_constants_may_come_after_their_readers() -> None:
    readers = [layer(name, inputs=[f"{name}-weights"], outputs=[name]) for name in "abcd"]
    constants = [layer("c", "Constant", inputs=[], outputs=[f"{name}-weights"], role=Role.CONSTANT) for name in "abcd"]
    assert codes(engine(*readers, *constants)) == []


def test_real_engines_are_in_order_until_they_are_sorted(shared_engines: Path) -> None:
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        one = load(folder).engine
        assert codes(one) == [], folder.name
        ordered = replace(one, layers=tuple(sorted(one.layers, key=lambda layer: layer.name)))
        assert codes(ordered) == ["layers-out-of-order"], folder.name


@pytest.mark.parametrize("count", [1, 2])
def test_few_tensors_prove_nothing(count: int) -> None:
    assert codes(engine(*reversed(row(count + 1)))) == []
