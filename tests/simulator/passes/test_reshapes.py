"""Reshapes that follow one another."""

from __future__ import annotations

from tests.simulator.passes.written import after, lines, network

_SHAPES = "s: = 1 1\n"


def test_two_become_one() -> None:
    text = _SHAPES + "a = Reshape x s | to=(2,2048)\n b = Reshape a s | to=(4,1024)\n c = Relu b"
    assert lines(after(network(text, "c"), "reshapes")) == ["a + b: x > b", "c: b > c"]


def test_there_and_back_is_nothing() -> None:
    text = _SHAPES + "a = Reshape x s | to=(2,2048)\n b = Reshape a s | to=(2,8,16,16)\n c = Relu b"
    assert lines(after(network(text, "c"), "reshapes")) == ["c: x > c"]
    text = "a = Transpose x | perm=(0,2,3,1)\n b = Transpose a | perm=(0,3,1,2)\n c = Relu b"
    assert lines(after(network(text, "c"), "reshapes")) == ["c: x > c"]


def test_what_others_read_and_what_turns_stays() -> None:
    text = _SHAPES + "a = Reshape x s | to=(2,2048)\n b = Reshape a s | to=(4,1024)"
    assert len(after(network(text, "a b"), "reshapes").steps) == 2
    text = "a = Transpose x | perm=(0,2,3,1)\n b = Transpose a | perm=(0,2,3,1)\n c = Flatten b"
    assert len(after(network(text, "c"), "reshapes").steps) == 3
