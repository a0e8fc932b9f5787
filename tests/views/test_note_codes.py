"""Codes of Notes, found in the source that writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

import trex
from tests.simulated_examples import load_simulated
from tests.synthetic import CASES
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.views.note_codes import find_note


def test_a_code_says_where_it_is_written_and_why():
    note = find_note("names-only-engine")
    assert note is not None
    assert note.file == "trex/ingest/quirks/names_only.py"
    assert note.summary.startswith("Engines that contain only layer names")
    assert (Path(trex.__file__).parent.parent / note.file).is_file()


@pytest.mark.parametrize("word", ["", "no-such-code", "conv", "utf-8", "channels-last", "x" * 1000, "Names-Only", "-"])
def test_other_words_are_no_codes(word):
    assert find_note(word) is None


@pytest.mark.parametrize(
    "code", ["trailing-comma", "unstable-gpu-time", "timing-strange-rows", "layers-not-profiled", "bindings-inferred"]
)
def test_codes_in_tables_and_readers_are_found(code):
    assert find_note(code) is not None


@pytest.mark.parametrize(
    "case", [c for c in CASES.values() if not c.expect.error and not c.needs], ids=lambda c: c.name
)
def test_every_note_that_an_engine_gets_is_known(case, tmp_path):
    try:
        plan = load(case.write(tmp_path))
    except TrexError:
        pytest.skip("cannot be loaded")
    assert all(find_note(note.code) for note in plan.notes)


@pytest.mark.parametrize("code", ["built-with-another-release", "files-state-two-facts", "run-shape-differs"])
def test_codes_of_differing_facts_are_known(code):
    assert find_note(code) is not None


def test_notes_of_examples_are_known():
    assert all(find_note(note.code) for note in load_simulated("resnet18-int8").notes)


@pytest.mark.parametrize(
    "code",
    [
        "run-failed",
        "run-unfinished",
        "unfinished-run",
        "times-of-two-runs",
        "warm-up-unknown",
        "baseline-of-another-gpu",
    ]
    + ["suppression-expired", "quarantined", "queries-without-a-time", "other-unit-than-base"],
)
def test_codes_are_known_however_and_wherever_they_are_written(code: str) -> None:
    assert find_note(code) is not None
