"""Swarms of tiny kernels."""

from __future__ import annotations

import pytest

from tests.factories import layer, noop
from tests.rules.judged import findings, judged, unanswered
from trex.core.layer import Layer

RULE = "tiny-kernels"


def swarm(number: int) -> list[Layer]:
    return [layer(f"l{place}", inputs=[f"t{place}"], outputs=[f"t{place + 1}"]) for place in range(number)]


def test_a_swarm():
    # Twelve of 3 µs and one of 50: 36 of 86 µs. Each saves at most the 2 µs of its launch, of 1 µs the whole.
    (found,) = findings(RULE, judged(*swarm(13), ms=[0.003] * 11 + [0.001, 0.050]))
    assert found.at_stake_ms == pytest.approx(11 * 0.002 + 0.001)
    assert "12 of 13 kernels" in found.message
    assert {each.what: each.value for each in found.evidence}["longest row of them"] == 12


def test_few_or_cheap_ones_are_fine():
    assert not findings(RULE, judged(*swarm(9), ms=[0.003] * 9))
    assert not findings(RULE, judged(*swarm(13), ms=[0.003] * 12 + [1.0]))
    assert not findings(RULE, judged(*swarm(13), ms=[0.02] * 13))


def test_what_launches_nothing_is_no_kernel():
    views = [noop(f"n{place}", f"a{place}", f"b{place}") for place in range(12)]
    assert not findings(RULE, judged(*views, layer("a"), ms=[0.001] * 12 + [0.02]))


def test_without_times():
    assert unanswered(RULE, judged(*swarm(13))) and not findings(RULE, judged(*swarm(13)))
