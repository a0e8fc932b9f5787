"""Elided concatenations."""

from __future__ import annotations

from tests.simulator.passes.written import after, network, sound, step_called


def test_its_writers_write_into_it() -> None:
    built = after(network("a = Relu x\n b = Tanh x\n c = Concat a b | axis=1", "c"), "elided-concatenations")
    assert step_called(built, "c").facts["is_elided"]
    assert len(built.steps) == 3


def test_what_cannot_be_written_there_is_copied() -> None:
    text = "a = Relu x\n c = Concat a x | axis=1\n d = Concat a c | axis=1"
    built = after(network(text, "d"), "elided-concatenations")
    assert [step.label for step in built.steps if "copy" in step.label] == ["x copy", "a copy"]
    sound(built)


def test_inner_dimensions_are_not_elided() -> None:
    built = after(network("a = Relu x\n b = Tanh x\n c = Concat a b | axis=3", "c"), "elided-concatenations")
    assert "is_elided" not in step_called(built, "c").facts
