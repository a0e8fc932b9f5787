"""Steps with unused outputs."""

from __future__ import annotations

from tests.simulator.passes.written import after, lines, network


def test_a_chain_to_nowhere_goes() -> None:
    built = after(network("a = Relu x\n b = Tanh a\n c = Exp b\n d = Abs a", "d"), "dead-layers")
    assert lines(built) == ["a: x > a", "d: a > d"]
    assert [item.operators for item in built.decisions] == [("c",), ("b",)]


def test_one_output_in_use_is_enough() -> None:
    assert len(after(network("a b = Split x\n c = Relu b", "c"), "dead-layers").steps) == 2
