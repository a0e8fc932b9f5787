"""Labels that name another batch size or GPU than the run's files: what is noted, and what may be meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from tests.store.run_rows import Tables, row
from trex.store.adding import AddedRuns
from trex.store.contradicted_labels import label_notes
from trex.store.run import StoredRun
from trex.store.sweep_cells import sweep_cells
from trex.store.sweep_reading import SweepReading
from trex.views.store import added_document
from trex.views.sweep_report import sweep_report

IMAGE = "3x224x224"
A100 = "NVIDIA A100 80GB PCIe"
Run = tuple[str, "int | None"]
"""Batch by the label, and by the files."""


def batches(runs: Iterable[Run], shapes: Iterable[str | None] | str | None = IMAGE) -> list[dict[str, Any]]:
    every = [*runs]
    of_each = [shapes] * len(every) if shapes is None or isinstance(shapes, str) else [*shapes]
    return [
        row(n, 1.0, labels={"sweep": "s", "batch": label}, batch=float("nan") if own is None else own, shapes=shape)
        for n, ((label, own), shape) in enumerate(zip(every, of_each, strict=True))
    ]


@pytest.mark.parametrize(
    "runs, words, label, own",
    [
        ((("32", 32), ("8", 16), ("16", 8)), "2 runs are", 8, 16),
        ((("8", 16), ("16", 8)), "2 runs are", 8, 16),
        ((("8", 8), ("16", 8), ("32", 32)), "1 run is", 16, 8),
        ((("8", 8), ("8", 16)), "1 run is", 8, 16),
    ],
)
def test_another_batch_size(runs: tuple[Run, ...], words: str, label: int, own: int) -> None:
    (note,) = label_notes(batches((*runs, ("1", None))))
    assert (note.code, note.severity) == ("label-contradicted", "warning")
    assert note.message == (
        f"{words} labeled with another batch than in the files: 00000000 has the label batch={label}, and {own} in its "
        "files"
    )


@pytest.mark.parametrize(
    "runs, shapes",
    [
        pytest.param((("1", 1), ("8", 8), ("32", 32)), IMAGE, id="the same"),
        pytest.param((("1", 2), ("2", 4), ("4", 8)), "4x64x64", id="two images per item"),
        pytest.param((("1", 6), ("2", 12)), "3x256x704", id="six cameras"),
        pytest.param((("1", 3), ("3", 3), ("8", 3)), "224x224", id="implicit batch, channels first"),
        pytest.param((("1", 128), ("2", 128), ("128", 128)), ("1x512", "2x512", "128x512"), id="sequence first"),
        pytest.param((("1", 1), ("8", 1), ("2", 2)), ("128", "1024", "128"), id="packed"),
        pytest.param((("8", 4), ("16", 64)), IMAGE, id="no value is both"),
        pytest.param((("8", None), ("16", 8), ("8", None)), IMAGE, id="unknown"),
        pytest.param((("8", 16), ("16", 8)), None, id="unknown shapes"),
        pytest.param((("small", 1), ("8x", 16), ("0", 8), ("", 1), ("9" * 400, 8)), IMAGE, id="no number"),
    ],
)
def test_the_batch_may_count_something_else(runs: tuple[Run, ...], shapes: Any) -> None:
    assert not label_notes(batches(runs, shapes))


def test_batches_of_several_networks_are_not_compared() -> None:
    rows = [
        row(n, 1.0, labels={"batch": "8", "frames": frames}, batch=8 * int(frames), shapes=IMAGE, model=frames)
        for n, frames in enumerate(("1", "8"))
    ]
    assert not label_notes(rows)
    for one in rows:
        del one["labels"]["frames"]
    assert label_notes(rows) and not label_notes(rows, ("model",))


@pytest.mark.parametrize(
    "label, gpu, is_noted",
    [("T4", A100, True), ("A100", A100, False), ("T4", None, False), ("", A100, False), ("node7", A100, False)],
)
def test_another_gpu(label: str, gpu: str | None, is_noted: bool) -> None:
    notes = label_notes([row(1, 1.0, labels={"gpu": label}, gpu=gpu), row(2, 1.0, labels=None, gpu=gpu)])
    assert [note.message for note in notes] == is_noted * [
        f"1 run is labeled with another gpu than in the files: 00000000 has the label gpu=T4, and {A100} in its files"
    ]


def test_a_report_and_what_is_added_note_it() -> None:
    rows = batches((("32", 32), ("8", 16), ("16", 8)))
    report = sweep_report(SweepReading(sweep_cells(Tables(rows), "s")))
    assert "label-contradicted" in {note.code for note in report.notes}
    right = sweep_report(SweepReading(sweep_cells(Tables(batches((("32", 32), ("8", 8), ("16", 16)))), "s")))
    assert "label-contradicted" not in {note.code for note in right.notes}
    runs = tuple(StoredRun(id=gpu, labels={"gpu": gpu}, gpu=A100) for gpu in ("A100", "T4"))
    assert [note.code for note in added_document(AddedRuns(runs), "store").notes] == ["label-contradicted"]


def test_sweeps_are_looked_at_apart() -> None:
    """Of one network, one with two images per item."""
    guided, plain = batches((("1", 2), ("2", 4))), batches((("1", 1), ("2", 2)))
    for run in plain:
        run["labels"] = {**run["labels"], "sweep": "plain"}
    assert label_notes([*guided, *plain]) == []
