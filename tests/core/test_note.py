"""Note: one fact about how data was read."""

from __future__ import annotations

import dataclasses

import pytest

from trex.core.note import SEVERITIES, Note, stored_note


def test_a_note_reads_as_a_sentence_with_its_address_and_hint() -> None:
    note = Note("names-only-engine", "40 layers have only their names", "rebuild it", "net.json:1:2")
    assert str(note) == "net.json:1:2: 40 layers have only their names (rebuild it)"
    assert str(Note("x", "a fact")) == "a fact"


@pytest.mark.parametrize(
    ("where", "folder", "seen"),
    [
        ("/home/me/out/net.json:1:2", "/home/me/out", "net.json:1:2"),
        ("out/x.tea!net.json", "out/", "x.tea!net.json"),
        ("C:\\out\\net.json", "C:\\out", "net.json"),
        ("/home/me/output/net.json", "/home/me/out", "/home/me/output/net.json"),
        ("/elsewhere/net.json", "/home/me/out", "/elsewhere/net.json"),
        ("/layer1/conv", "/", "/layer1/conv"),
        ("out", "out", "out"),
        ("net.json", "", "net.json"),
    ],
)
def test_an_address_in_a_folder_becomes_relative(where: str, folder: str, seen: str) -> None:
    note = Note("x", "a fact", "do", where, "info")
    assert note.seen_from(folder) == Note("x", "a fact", "do", seen, "info")


def test_a_note_is_a_warning_by_default() -> None:
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


@pytest.mark.parametrize("code", ["x`) <img src=x>", "x; touch y", "A", "", "a b", "a\n", "-", "a--b", "x" * 200])
def test_a_strangers_code_is_a_code(code: str) -> None:
    record = {"code": code, "message": "m", "where": "", "severity": "problem"}
    with pytest.raises(ValueError):
        stored_note(record)
    assert stored_note({**record, "code": "run-failed", "hint": "rm -rf ~"}).hint == "trex explain run-failed"
