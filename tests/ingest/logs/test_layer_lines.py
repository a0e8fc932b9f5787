"""Layer lines of the inspector and of the builder."""

from __future__ import annotations

import pytest

from trex.ingest.logs.layer_lines import LayerLines
from trex.ingest.logs.log_lines import LogLine

ROW = "Layer(NoOp): a, Tactic: 0x0, x (Half[1]) -> y (Half[1])"
DUMPED = "Name: a, LayerType: NoOp, Inputs: [], Outputs: []"


def line(message: str, number: int = 1) -> LogLine:
    return LogLine(number, "I", False, message, False)


def test_rows_are_known_without_their_header() -> None:
    layers = LayerLines()
    assert layers.add_continuation(line(ROW))
    assert layers.is_open and not layers.is_in_dump
    assert [row["Name"] for row in layers.rows or ()] == ["a"]


def test_bad_rows_are_counted_and_the_first_is_reported() -> None:
    layers = LayerLines()
    layers.open_rows()
    for number, message in enumerate((ROW, "?", ROW, "?"), 5):
        layers.add_continuation(line(message, number))
    layers.close()
    _, _, (note,) = layers.dumped("x.log")
    assert (note.code, note.where, note.message[:7]) == ("unreadable-layer-row", "x.log:6", "2 lines")


@pytest.mark.parametrize(("is_announced", "is_closed"), [(True, True), (False, True), (True, False)])
def test_a_list_that_is_cut_says_so(is_announced: bool, is_closed: bool) -> None:
    layers = LayerLines()
    if is_announced:
        layers.open_rows()
    layers.add_continuation(line(ROW))
    if is_closed:
        layers.close()
    codes = [note.code for note in layers.dumped("x.log")[2]]
    assert codes == ([] if is_announced and is_closed else ["part-of-layer-rows"])


@pytest.mark.parametrize(
    ("is_announced", "end"),
    [(True, ("", "Bindings:", "y")), (False, ("", "x")), (False, ("Layer 1:", DUMPED, "")), (True, ())],
)
def test_a_dump_that_is_cut_says_so(is_announced: bool, end: tuple[str, ...]) -> None:
    layers = LayerLines()
    for message in (*(("Layers:",) if is_announced else ()), DUMPED, *end):
        layers.add_continuation(line(message))
    codes = [note.code for note in layers.dumped("x.log")[2]]
    assert codes == ([] if is_announced and end else ["part-of-layer-rows"])


def test_a_dump_ends_after_its_bindings() -> None:
    layers = LayerLines()
    layers.open_dump(3, is_announced=True)
    taken = [layers.add_continuation(line(text)) for text in (DUMPED, "", "Bindings:", "x", "", "other")]
    assert taken == [True] * 5 + [False]
    dumped, bindings, notes = layers.dumped("x.log")
    assert (len(dumped or ()), bindings, notes) == (1, ["x"], [])


def test_output_of_other_programs_is_no_layers() -> None:
    layers = LayerLines()
    assert layers.add_continuation(line("Layers:"))
    assert layers.add_continuation(line("conv2d (Conv2D)"))
    layers.close()
    assert not layers.add_continuation(line("conv2d (Conv2D)"))
    assert layers.dumped("x.log") == (None, [], [])
