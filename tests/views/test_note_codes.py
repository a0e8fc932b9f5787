"""Codes of Notes, read off the source of their tellers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import trex
from tests.synthetic import CASES
from trex.core.errors import TrexError
from trex.core.note import SEVERITIES
from trex.engine_plan import load, load_example
from trex.views.note_codes import find_note, note_codes


def test_a_code_says_where_and_in_which_words_it_is_told():
    note = find_note("names-only-engine")
    assert note is not None
    assert note.severity == "problem"
    assert "contains only the names of …" in note.message
    assert "--profilingVerbosity=detailed" in note.hint
    assert note.file == "trex/ingest/quirks/names_only.py"
    assert note.module_summary.startswith("Engines that contain only layer names")


def test_what_is_put_together_has_gaps_where_it_is_not_known():
    note = find_note("several-candidates")
    assert note is not None and note.message == "… was taken as …; also there: …"


@pytest.mark.parametrize("word", ["", "no-such-code", "conv", "utf-8", "channels-last", "x" * 1000, "Names-Only", "-"])
def test_other_words_are_no_codes(word):
    assert find_note(word) is None


def test_every_entry_is_whole():
    for code, note in note_codes().items():
        assert note.code == code
        assert note.severity in SEVERITIES
        assert note.module_summary, code
        assert (Path(trex.__file__).parent.parent / note.file).is_file()


@pytest.mark.parametrize("code", ["trailing-comma", "unstable-gpu-time", "timing-strange-rows", "layers-not-profiled"])
def test_codes_in_tables_and_readers_are_found(code):
    note = find_note(code)
    assert note is not None and note.message


def test_every_code_that_is_written_in_a_call_is_found():
    """Spelled another way than the reader of the source does: by a regular expression."""
    root = Path(trex.__file__).parent
    call = re.compile(r'\bNote\(\s*"([a-z0-9-]+)"')
    written = {
        code
        for floor in ("ingest", "plan", "capture")
        for file in (root / floor).rglob("*.py")
        for code in call.findall(file.read_text("utf-8"))
    }
    assert len(written) > 20
    assert written <= set(note_codes())


@pytest.mark.parametrize(
    "case", [c for c in CASES.values() if not c.expect.error and not c.needs], ids=lambda c: c.name
)
def test_every_note_that_an_engine_gets_is_known(case, tmp_path):
    try:
        plan = load(case.write(tmp_path))
    except TrexError:
        pytest.skip("cannot be loaded")
    assert {note.code for note in plan.notes} <= set(note_codes())


def test_every_note_of_real_engines_is_known(shared_engines, shared_logs):
    from trex.plan.loading import find_plans
    from trex.views.diagnosis import diagnose

    paths = [*(path for path in shared_engines.iterdir() if path.is_dir()), shared_logs]
    result = {note.code for path in paths for files in find_plans(path) for note in diagnose(files).notes}
    assert result
    assert result <= set(note_codes())


def test_examples_are_no_exception():
    assert {note.code for note in load_example("resnet18-int8").notes} <= set(note_codes())
