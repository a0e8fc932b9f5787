"""Steps whose outputs nobody needs."""

from __future__ import annotations

from tests.simulator.passes.written import after, lines, network


def test_a_chain_to_nowhere_goes() -> None:
    made = after(network("a = Relu x\n b = Tanh a\n c = Exp b\n d = Abs a", "d"), "dead-layers")
    assert lines(made) == ["a: x > a", "d: a > d"]
    assert [each.operators for each in made.decisions] == [("c",), ("b",)]


def test_one_output_in_use_is_enough() -> None:
    assert len(after(network("a b = Split x\n c = Relu b", "c"), "dead-layers").steps) == 2
