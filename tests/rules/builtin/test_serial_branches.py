"""Forks and their branches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import layer
from tests.rules.cases import findings, on_round_device, unchecked
from tests.rules.planting import Ground, Parts, Plant, Planter, like
from trex.core.tensor import Tensor

RULE = "serial-branches"


def fork(stream=0, second=0, join=True):
    """x forks into a → b and into c; d joins them."""
    layers = [
        layer("x", inputs=["in"], outputs=["x"], stream=stream),
        layer("a", inputs=["x"], outputs=["a"], stream=stream),
        layer("b", inputs=["a"], outputs=["b"], stream=stream),
        layer("c", inputs=["x"], outputs=["c"], stream=second if second else stream),
    ]
    return [*layers, layer("d", inputs=["b", "c"], outputs=["y"], stream=stream)] if join else layers


def test_two_branches():
    # a + b = 0.015 ms, c = 0.010 ms: beside the longer one, 0.010 ms are free.
    (found,) = findings(RULE, on_round_device(*fork(), ms=[0.01, 0.01, 0.005, 0.01, 0.01]))
    assert found.savings == {3: pytest.approx(0.01)} and set(found.layers) == {1, 2, 3}
    assert "maxAuxStreams" in found.fix[0]
    assert len(findings(RULE, on_round_device(*fork(join=False), ms=[0.01, 0.01, 0.005, 0.01]))) == 1


def test_long_kernels_fill_the_gpu():
    assert not findings(RULE, on_round_device(*fork(), ms=[0.01, 0.5, 0.005, 0.01, 0.01]))
    assert len(findings(RULE, on_round_device(*fork(), ms=[0.01, 0.5, 0.005, 0.01, 0.01]), longest=1.0, share=0.1)) == 1


def test_several_streams_and_chains_are_fine():
    assert not findings(RULE, on_round_device(*fork(second=1), ms=[0.01, 0.01, 0.005, 0.01, 0.01]))
    chain = [layer(f"l{n}", inputs=[f"t{n}"], outputs=[f"t{n + 1}"], stream=0) for n in range(4)]
    assert not findings(RULE, on_round_device(*chain, ms=[0.01] * 4))


def test_a_shortcut_is_no_branch():
    residual = [
        layer("x", inputs=["in"], outputs=["x"], stream=0),
        layer("a", inputs=["x"], outputs=["a"], stream=0),
        layer("d", inputs=["x", "a"], outputs=["y"], stream=0),
    ]
    assert not findings(RULE, on_round_device(*residual, ms=[0.01] * 3))


def test_what_are_unchecked():
    assert "times" in unchecked(RULE, on_round_device(*fork()))[0].reason
    engine = on_round_device(*fork(stream=None), ms=[0.01, 0.01, 0.005, 0.01, 0.01])
    assert "streams" in unchecked(RULE, engine)[0].reason and not findings(RULE, engine)


def test_branches_of_a_condition_may_exclude_each_other():
    jump = layer("j", "cjmp", inputs=["d"], outputs=[], stream=0)
    assert not findings(RULE, on_round_device(*fork(), jump, ms=[0.01, 0.01, 0.005, 0.01, 0.01, 0.001]))


def test_tensorrt_for_rtx_chooses_its_streams_itself():
    first, *others = fork()
    chosen_late = replace(first, tactic="__myelin_CASK_STUB")
    assert not findings(RULE, on_round_device(chosen_late, *others, ms=[0.01, 0.01, 0.005, 0.01, 0.01]))


# ---- The defect that tests plant into engines, and its sound twin


def branches(bad: bool) -> Plant:
    """Two branches of short kernels; the ground's own are made short or long with them."""

    def make(x: Tensor) -> Parts:
        a, b, c = (like(x, name) for name in ("a901", "b902", "c903"))
        return [
            (layer("first900", "Softmax", [x], [like(x, "f900")], stream=0), 0.01),
            (layer("left901", "Softmax", [like(x, "f900")], [a], stream=0), 0.01),
            (layer("left902", "Softmax", [a], [b], stream=0), 0.01),
            (layer("right903", "Softmax", [like(x, "f900")], [c], stream=0 if bad else 1), 0.01),
            (layer("join904", "ElementWise", [b, c], [like(x, "j904")], stream=0), 0.01),
        ]

    def plant(ground: Ground) -> None:
        ground.insert(make, bad)
        for name in ("first900", "left901", "left902", "right903", "join904"):
            ground.ms[name] = 0.01 * ground.noise()
        shrink = 0.25 / ground.total_ms  # so that the branches are a part of the time worth telling
        ground.ms = {name: ms if name[-3:].isdigit() else ms * shrink for name, ms in ground.ms.items()}

    return plant


PLANTER = Planter(branches(True), branches(False))
