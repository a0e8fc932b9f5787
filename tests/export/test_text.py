"""Summaries, diagnoses and explanations as text: inert, within the width, nothing needed left out."""

from __future__ import annotations

import pytest
from trex.export.text import (
    diagnosis_lines,
    explanation_lines,
    index_lines,
    note_lines,
    plain,
    summary_lines,
    summary_text,
)

from trex.core.note import Note
from trex.engine_plan import load_example
from trex.export.lettering import cell_width
from trex.views.diagnosis import Diagnosis, Missing
from trex.views.explanation import Explanation
from trex.views.summary import Fact, Summary, summarize
from trex.views.table import Table, TableColumn

BAD = "a\x1b[31m\u202eb\x00"


def summary(**more) -> Summary:
    made = {"title": "net", "statement": "", "facts": (), "tables": (), "caveats": ()}
    return Summary(**{**made, **more})


def test_a_whole_summary():
    text = summary_text(
        summary(
            statement="synthetic",
            facts=(Fact("Device", "A30"), Fact("Outputs", "a 1x2\nb 1x3")),
            caveats=(Note("a-code", "lost", "look", "out/net.json:3", "problem"),),
            folder="out",
        )
    )
    assert text == (
        "net\n"
        "===\n"
        "*** synthetic ***\n"
        "Device   A30\n"
        "Outputs  a 1x2\n"
        "         b 1x3\n"
        "\n"
        "Caveats\n"
        "-------\n"
        "[problem] net.json:3: lost (a-code)\n"
        "    → look\n"
    )


@pytest.mark.parametrize("width", [60, 72, 80, 132])
def test_a_summary_fits_any_terminal(width):
    lines = plain(summary_lines(summarize(load_example("transformer-fp16")), width, bars=True)).splitlines()
    assert max(map(cell_width, lines)) <= width


def test_nothing_from_an_engine_steers_the_terminal():
    table = Table(BAD, (TableColumn(BAD),), ((BAD,),))
    note = Note("a-code", BAD, BAD, BAD)
    made = summary(title=BAD, facts=(Fact("Device", BAD),), tables=(table,), caveats=(note,))
    files = Table("", (TableColumn("what"), TableColumn("file")), (("graph", BAD),))
    diagnosis = Diagnosis(BAD, files, 1, (Missing("part", "x", (f"trtexec {BAD}",)),), (note,), f"error {BAD}", (BAD,))
    explanation = Explanation(BAD, "term", BAD)
    for width in (None, 60):
        for lines in (
            summary_lines(made, width),
            diagnosis_lines(diagnosis, width),
            explanation_lines([explanation], width),
            index_lines({"kind": (BAD,)}, width),
        ):
            assert all(line.isprintable() for line in plain(lines).splitlines())


def test_addresses_below_the_folder_are_shortened_and_others_kept():
    assert plain(note_lines(Note("a-b", "m", where="out/x/net.json:1:2"), "out/x")).startswith(
        "[warning] net.json:1:2: "
    )
    assert "/layer1/conv" in plain(note_lines(Note("a-b", "m", where="/layer1/conv"), "out"))
    assert plain(note_lines(Note("a-b", "m", where="out/net.json"))).startswith("[warning] out/net.json: ")


def test_notes_hang_below_themselves():
    lines = plain(note_lines(Note("a-code", "word " * 20, "hint " * 20), width=40)).splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[1].startswith("    word")
    hints = [line for line in lines if "hint" in line]
    assert hints[0].startswith("    → hint") and hints[1].startswith("      hint")


def diagnosis(command: str, **more) -> Diagnosis:
    files = Table("", (TableColumn("what"), TableColumn("file")), (("layer times", "out/net.json"),))
    made = {
        "name": "net",
        "files": files,
        "layers": 1200,
        "notes": (),
        "missing": (Missing("layer times", "x", (command,)),),
    }
    return Diagnosis(**{**made, **more})


def test_a_diagnosis():
    text = plain(diagnosis_lines(diagnosis("trtexec --a", remarks=("mind this",))))
    assert text == (
        "net: 1,200 layers, without layer times\n"
        "  layer times  out/net.json\n"
        "missing\n"
        "  layer times  x\n"
        "to get it\n"
        "  trtexec --a\n"
        "  - mind this\n"
    )
    healthy = diagnosis("", missing=())
    assert plain(diagnosis_lines(healthy)).splitlines()[0] == "net: 1,200 layers, complete"
    broken = diagnosis("", missing=(), layers=None, error="cannot\n  try: this")
    assert plain(diagnosis_lines(broken)).splitlines()[0] == "net: it cannot be loaded, with an error"


def test_a_problem_is_counted():
    lost = diagnosis("", missing=(), notes=(Note("a-b", "lost", severity="problem"),))
    assert plain(diagnosis_lines(lost)).splitlines()[0] == "net: 1,200 layers, 1 problem"


def test_commands_are_broken_in_front_of_options_only():
    command = "trtexec " + " ".join(f"--option{i}=value{i}" for i in range(12)) + " 2>&1 | tee x.log"
    lines = plain(diagnosis_lines(diagnosis(command), 70)).splitlines()
    start = lines.index("to get it") + 1
    part = lines[start:]
    assert len(part) > 2
    assert all(line.endswith(" \\") for line in part[:-1])
    assert all(cell_width(line) <= 70 for line in part)
    assert " ".join(line.removesuffix(" \\").strip() for line in part) == command


def test_quoted_commands_stay_whole():
    command = "trtexec '--onnx=my --odd.onnx' " + "--option=value " * 10 + "--end"
    assert f"  {command}\n" in plain(diagnosis_lines(diagnosis(command), 60))


def test_explanations_stand_under_their_subjects():
    text = plain(explanation_lines([Explanation("a", "term", "x\ny"), Explanation("b", "note", "z")]))
    assert text == "a — term\n  x\n  y\n\nb — note\n  z\n"
