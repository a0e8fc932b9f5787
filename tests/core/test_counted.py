"""counted: words that agree with their number."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.synthetic import CASES
from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.engine_plan import load

ONE_OF_MANY = re.compile(
    r"(?<![\d.,])1 (?!of )(?:\w+ ){0,2}?(?:layers|tensors|records|rows|entries|values|inputs|names|queries|bytes)\b"
)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((0, "layer"), "0 layers"),
        ((1, "layer"), "1 layer"),
        ((2, "layer"), "2 layers"),
        ((1, "entry", "entries"), "1 entry"),
        ((1000, "entry has", "entries have"), "1,000 entries have"),
    ],
)
def test_words_agree_with_their_number(words, text):
    assert counted(*words) == text


def odd_engine(tensor: dict) -> Iterator[str]:
    layer = {"Name": "a", "LayerType": "gemm", "Inputs": [tensor], "Outputs": [], "TacticName": ""}
    yield json.dumps({"Layers": [layer], "Bindings": []})
    yield json.dumps({"Layers": [layer, 7], "Bindings": ["x"]})
    yield json.dumps({"Layers": ["a"], "Bindings": []})


@pytest.mark.parametrize(
    "tensor",
    [
        {"Name": "x", "Dimensions": [1], "Format/Datatype": "Complex"},
        {"Name": "x", "Dimensions": [-1], "Format/Datatype": "Half"},
        {"Name": "x\x1ey", "Format/Datatype": "Half"},
        {"Name": "x", "Dimensions": [1, 2], "Format/Datatype": "N/A due to dynamic shapes"},
    ],
)
def test_notes_about_one_thing_speak_of_one(tensor: dict, tmp_path: Path):
    records = [{"count": 1}, {"name": "a"}, {"name": "b", "timeMs": -1, "averageMs": 1}, 3]
    (tmp_path / "m.profile.json").write_text(json.dumps(records))
    for text in odd_engine(tensor):
        (tmp_path / "m.graph.json").write_text(text)
        messages = [note.message for note in load(tmp_path).notes]
        assert messages
        for message in messages:
            assert not ONE_OF_MANY.search(message)


@pytest.mark.parametrize(
    "case", [c for c in CASES.values() if not c.expect.error and not c.needs], ids=lambda case: case.name
)
def test_no_note_of_any_engine_speaks_of_one_as_of_many(case, tmp_path: Path):
    try:
        plan = load(case.write(tmp_path))
    except TrexError:
        pytest.skip("cannot be loaded")
    assert [note.message for note in plan.notes if ONE_OF_MANY.search(note.message)] == []
