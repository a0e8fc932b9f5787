"""Text: the answer first, within the width, inert; nothing needed is left out."""

from __future__ import annotations

import pytest

from tests.export.documents.makers import MAKERS
from tests.simulated_examples import load_simulated
from trex.core.note import Note
from trex.export.document import RenderStyle, prepared, render_document
from trex.export.documents.text import document_lines, note_lines
from trex.export.lettering import cell_width
from trex.export.lines import plain
from trex.views.document import Document, Fact, Facts, Section, Text
from trex.views.table import Table, TableColumn

BAD = "a\x1b[31m\u202eb\x00"


def text_of(document: Document, width: int | None = None, verbose: bool = True) -> str:
    style = RenderStyle(width=width, verbose=verbose)
    return plain(document_lines(prepared(document, style), style))


def command_lines(command: str, width: int) -> list[str]:
    return text_of(Document("x", "", sections=(Section("s", "", (Text((command,), "command"),)),)), width).splitlines()


def test_a_whole_document():
    facts = Facts((Fact("Device", "A30"), Fact("Outputs", "a 1x2\nb 1x3")))
    table = Table(
        "Times", (TableColumn("layer"), TableColumn("time", "ms", "ms")), (("a", 0.5),), left_out=2, more="trex x"
    )
    document = Document(
        "x", "net", "synthetic", subtitle="batch 1", folder="out",
        sections=(
            Section("first", "", (Text(("The answer.",)), facts)),
            Section("more", "More", (table, Text(("Next.",), "hint"))),
            Section("details", "Details", (Text(("In short.",)), table), is_folded=True),
        ),
        notes=(Note("a-code", "lost", "look", "out/net.json:3", "problem"),
               Note("b-code", "odd"), Note("c-code", "known", severity="info")),
    )  # fmt: skip
    assert text_of(document, verbose=False) == (
        "net   batch 1\n"
        "synthetic\n"
        "The answer.\n"
        "\n"
        "Device   A30\n"
        "Outputs  a 1x2\n"
        "         b 1x3\n"
        "\n"
        "More\n"
        "Times\n"
        "layer  time (ms)\n"
        "a         0.5000\n"
        "  … 2 more: trex x\n"
        "Next.\n"
        "\n"
        "Details: In short.\n"
        "\n"
        "[problem] net.json:3: lost (a-code)\n"
        "    → look\n"
        "[warning] odd (b-code)\n"
        "1 more note: add -v\n"
    )
    verbose = text_of(document)
    assert "Details\nIn short.\n\nTimes\n" in verbose and "[warning] odd (b-code)" in verbose


@pytest.mark.parametrize("name", MAKERS)
def test_every_document_fits_any_terminal(name):
    document = MAKERS[name](load_simulated("transformer-fp16"), load_simulated("resnet18-int8"))
    for width in (60, 80, 132):
        assert max(map(cell_width, text_of(document, width).splitlines())) <= width


def test_nothing_from_an_engine_steers_the_terminal():
    blocks = (
        Text((BAD,)), Text((BAD,), "command"), Text((BAD,), "hint"), Facts((Fact(BAD, BAD),), BAD),
        Facts((Fact(BAD, BAD),), BAD, is_folded=True), Table(BAD, (TableColumn(BAD),), ((BAD,),), more=BAD, left_out=1),
    )  # fmt: skip
    note = Note("a-code", BAD, BAD, BAD)
    sections = (Section("s", BAD, blocks, (note,)), Section("t", BAD, blocks, is_folded=True))
    document = Document("x", BAD, BAD, sections, (note,), subtitle=BAD)
    for width in (None, 60):
        for verbose in (True, False):
            assert all(line.isprintable() for line in text_of(document, width, verbose).splitlines())


def test_addresses_below_the_folder_are_shortened_and_others_kept():
    def line(where: str, folder: str = "") -> str:
        document = Document("summary", "x", notes=(Note("a-b", "m", where=where),), folder=folder)
        return render_document(document, "text").decode().splitlines()[-1]

    assert line("out/x/net.json:1:2", "out/x").startswith("[warning] net.json:1:2: ")
    assert "/layer1/conv" in line("/layer1/conv", "out")
    assert line("out/net.json").startswith("[warning] out/net.json: ")


def test_notes_hang_below_themselves():
    lines = plain(note_lines(Note("a-code", "word " * 20, "hint " * 20), width=40)).splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[1].startswith("    word")
    hints = [line for line in lines if "hint" in line]
    assert hints[0].startswith("    → hint") and hints[1].startswith("      hint")


def test_commands_stay_whole_so_that_they_can_be_copied():
    command = "trtexec " + " ".join(f"--option{i}=value{i}" for i in range(12)) + " 2>&1 | tee x.log"
    assert f"  {command}" in command_lines(command, 70)
