"""What is left out of an answer that does not fit."""

from __future__ import annotations

from trex.agents.answer import fitted
from trex.agents.tool import Answer
from trex.core.note import Note
from trex.views.document import Document


def test_the_most_severe_notes_stay() -> None:
    notes = [Note(f"info-{number}", "good to know", severity="info") for number in range(8)]
    notes.append(Note("times-contradict", "other units", severity="problem"))
    answer = Answer(lambda _: Document("layers", "net", notes=tuple(notes)), "trex layers net --json", rows=2)
    document = fitted(answer, "layers")["answer"]
    assert [note["code"] for note in document["notes"]] == ["times-contradict", "info-0"]
    assert document["left_out"]["notes"] == 7
