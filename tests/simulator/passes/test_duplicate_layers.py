"""What is computed twice of the same inputs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.simulator.passes.written import after, lines, network
from trex.simulator import draft_editor
from trex.simulator.draft import BuildStep


def test_quantizers_of_one_tensor_with_one_scale_become_one() -> None:
    text = "s: = 0.5\n t: = 0.5\n q = QuantizeLinear x s\n r = QuantizeLinear x t\n a = Relu q\n b = Tanh r"
    built = after(network(text, "a b"), "duplicate-layers")
    assert lines(built) == ["q: x > q", "a: q > a", "b: q > b"]
    assert built.decisions[0].operators == ("q", "r")


def test_another_scale_is_another_quantizer() -> None:
    text = "s: = 0.5\n t: = 0.25\n q = QuantizeLinear x s\n r = QuantizeLinear x t\n a = Add q r"
    assert len(after(network(text, "a"), "duplicate-layers").steps) == 3


def test_duplicates_behind_duplicates_go_at_once() -> None:
    text = "a = Relu x\n b = Relu x\n c = Tanh a\n d = Tanh b\n e = Add c d"
    assert lines(after(network(text, "e"), "duplicate-layers")) == ["a: x > a", "c: a > c", "e: c c > e"]


def test_attributes_outputs_and_unknown_numbers_count() -> None:
    text = "a = Softmax x | axis=1\n b = Softmax x | axis=2\n c = Relu x\n d = Relu x\n e = Add a b\n f = Add c e"
    assert len(after(network(text, "f d"), "duplicate-layers").steps) == 6
    convolutions = "v: 8x8x1x1\n w: 8x8x1x1\n a = Conv x v\n b = Conv x w\n c = Add a b"
    assert len(after(network(convolutions, "c"), "duplicate-layers").steps) == 3


def test_each_reader_keeps_its_dequantizer() -> None:
    text = "s: = 0.5\n q = QuantizeLinear x s\n d = DequantizeLinear q s\n e = DequantizeLinear q s\n a = Add d e"
    assert len(after(network(text, "a"), "duplicate-layers").steps) == 4


def test_a_step_is_renamed_once_however_many_of_its_inputs_go(monkeypatch: pytest.MonkeyPatch) -> None:
    changed: list[object] = []

    def counted(item: Any, **new: Any) -> Any:
        changed.append(item)
        return replace(item, **new)

    monkeypatch.setattr(draft_editor, "replace", counted)
    names = [f"n{number}" for number in range(100)]
    text = "\n ".join(f"{name} = Relu x" for name in names) + f"\n e = Sum {' '.join(names)}"
    assert lines(after(network(text, "e"), "duplicate-layers")) == ["n0: x > n0", f"e: {' '.join(['n0'] * 100)} > e"]
    assert sum(isinstance(item, BuildStep) for item in changed) == 1
