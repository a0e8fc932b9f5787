"""Note: one fact about how data was read."""

from __future__ import annotations

import dataclasses

import pytest

from trex.core.note import SEVERITIES, Note


def test_a_note_reads_as_a_sentence_with_its_address_and_hint() -> None:
    note = Note("names-only-engine", "40 layers tell only their names", "rebuild it", "net.json:1:2")
    assert str(note) == "net.json:1:2: 40 layers tell only their names (rebuild it)"
    assert str(Note("x", "a fact")) == "a fact"


def test_a_note_is_a_warning_unless_said_otherwise() -> None:
    assert Note("x", "a fact").severity == "warning"


@pytest.mark.parametrize("severity", SEVERITIES)
def test_known_severities(severity: str) -> None:
    assert Note("x", "a fact", severity=severity).severity == severity


def test_an_unknown_severity_is_our_bug() -> None:
    with pytest.raises(ValueError, match="'fatal'"):
        Note("x", "a fact", severity="fatal")


def test_notes_are_facts_that_can_be_compared_and_kept_in_sets() -> None:
    assert {Note("x", "a fact"), Note("x", "a fact"), Note("y", "a fact")} == {Note("x", "a fact"), Note("y", "a fact")}
    with pytest.raises(dataclasses.FrozenInstanceError):
        Note("x", "a fact").code = "y"  # type: ignore[misc]
