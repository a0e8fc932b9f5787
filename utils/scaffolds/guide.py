"""A page of advice with snippets: ``trex explain NAME``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="views/guides",
    plug='''\
"""One sentence: what the page helps with.

One paragraph per step: what to do, and what TensorRT or the tool reports.

Sources: the pages and releases that the advice was taken from.
"""

from __future__ import annotations

from trex.views.guide import Snippet

_MODEL = """\\
import trex

plan = trex.load("out")
"""

SNIPPETS = (Snippet("What the snippet does", _MODEL),)
''',
    test='''\
"""The guide ``$name``."""

from __future__ import annotations

from trex.views.explanation import explain
from trex.views.guide import GUIDES


def test_the_page_is_found_by_its_name() -> None:
    (page,) = explain("$name")
    assert (page.subject, page.kind) == ("$name", "guide")


def test_the_snippet_uses_trex() -> None:
    assert "trex.load" in GUIDES["$name"].value[0].text
''',
    related=("tests/views/guides",),
)
