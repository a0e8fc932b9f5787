"""Forks and their branches."""

from __future__ import annotations

import pytest

from tests.factories import layer
from tests.rules.judged import findings, judged, unanswered

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
    (found,) = findings(RULE, judged(*fork(), ms=[0.01, 0.01, 0.005, 0.01, 0.01]))
    assert found.at_stake == {3: pytest.approx(0.01)} and set(found.layers) == {1, 2, 3}
    assert "maxAuxStreams" in found.advice[0]
    assert len(findings(RULE, judged(*fork(join=False), ms=[0.01, 0.01, 0.005, 0.01]))) == 1


def test_long_kernels_fill_the_gpu():
    assert not findings(RULE, judged(*fork(), ms=[0.01, 0.5, 0.005, 0.01, 0.01]))
    assert len(findings(RULE, judged(*fork(), ms=[0.01, 0.5, 0.005, 0.01, 0.01]), longest=1.0, share=0.1)) == 1


def test_several_streams_and_chains_are_fine():
    assert not findings(RULE, judged(*fork(second=1), ms=[0.01, 0.01, 0.005, 0.01, 0.01]))
    chain = [layer(f"l{n}", inputs=[f"t{n}"], outputs=[f"t{n + 1}"], stream=0) for n in range(4)]
    assert not findings(RULE, judged(*chain, ms=[0.01] * 4))


def test_a_shortcut_is_no_branch():
    residual = [
        layer("x", inputs=["in"], outputs=["x"], stream=0),
        layer("a", inputs=["x"], outputs=["a"], stream=0),
        layer("d", inputs=["x", "a"], outputs=["y"], stream=0),
    ]
    assert not findings(RULE, judged(*residual, ms=[0.01] * 3))


def test_what_cannot_be_told():
    assert "times" in unanswered(RULE, judged(*fork()))[0].reason
    seen = judged(*fork(stream=None), ms=[0.01, 0.01, 0.005, 0.01, 0.01])
    assert "streams" in unanswered(RULE, seen)[0].reason and not findings(RULE, seen)
