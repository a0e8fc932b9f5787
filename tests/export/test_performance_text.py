"""A reading of performance on the terminal and as Markdown: everything told, nothing of an engine taken as markup."""

from __future__ import annotations

from trex.export.performance_markdown import performance_markdown
from trex.export.performance_text import performance_text
from trex.views.performance.reading import Reading
from trex.views.performance.section import Content

from trex.core.note import Note
from trex.views.summary import Fact
from trex.views.table import Table, TableColumn

CONTENT = Content(
    statements=("One sentence about a layer called <b>|*x*.", "Another."),
    facts=(Fact("Clock", "1.41 GHz\nreported"),),
    tables=(Table("Ranking", (TableColumn("layer"), TableColumn("time", "ms", "ms")), (("a|b\x1b[31m", 0.5),)),),
    derivations=(("time of a", "2 + 2\n= 4"),),
    notes=(Note("some-note", "a fact", "a step", "folder/x.json", "warning"),),
)
READING = Reading("net", "synthetic", "A100", (("work", "Work", CONTENT), ("none", "Empty", Content())), "folder")


def test_text():
    text = performance_text(READING, 60)
    assert text.startswith("net\n===\n*** synthetic ***\n\nWork\n====\n")
    for words in ("One sentence", "Another.", "Clock  1.41 GHz", "       reported", "0.5000", "    = 4", "→ a step"):
        assert words in text
    assert "[warning] x.json: a fact (some-note)" in text
    assert all(line.isprintable() and len(line) <= 60 for line in text.split("\n"))


def test_many_sections_begin_with_their_first_sentences():
    many = Reading("net", "", "", tuple((name, name.title(), CONTENT) for name in ("one", "two", "three")))
    text = performance_text(many, 60)
    assert text.startswith("net\n===\nOne    One sentence about a layer called <b>|*x*.\nTwo    One")
    assert "- **Three:** One sentence about a layer called &lt;b&gt;" in performance_markdown(many)


def test_text_of_nothing():
    assert "nothing can be told" in performance_text(Reading("net", "", "", ()))


def test_markdown():
    text = performance_markdown(READING)
    assert "# net" in text and "## Work" in text and "### Ranking" in text
    assert "&lt;b&gt;\\|\\*x\\*" in text and "<b>" not in text
    assert "| a\\|b\\\\x1b\\[31m | 0.5000 |" in text
    assert "| Clock | 1.41 GHz<br>reported |" in text
    assert "- **time of a**\n  - 2 + 2\n  - = 4" in text
    assert "(`some-note`)" in text
