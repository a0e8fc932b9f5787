"""What a cell has shown is not shown again as its result; tables are escaped."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pandas as pd
import pytest

from trex.jupyter import show
from trex.jupyter.show import line_width, shown_in_this_cell, table_html


def test_silent_in_the_same_cell_and_shown_in_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    getipython = pytest.importorskip("IPython.core.getipython", reason="IPython is absent: pip install ipython")
    shell, shown = SimpleNamespace(execution_count=3), []
    monkeypatch.setattr(getipython, "get_ipython", lambda: shell)
    display = shown_in_this_cell(lambda: shown.append("figure"))
    display()
    assert not shown
    shell.execution_count = 4
    display()
    assert shown == ["figure"]


def test_outside_of_a_notebook_nothing_is_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(show, "_cell", lambda: None)
    shown: list[str] = []
    shown_in_this_cell(lambda: shown.append("figure"))()
    assert shown == ["figure"]


def test_lines_fit_into_a_cell_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    assert line_width() is None
    kernel = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    assert line_width() == show.LETTERS_OF_A_LINE


def test_names_of_layers_are_text_in_tables() -> None:
    html = table_html(pd.DataFrame({"<i>Name": ["<script>alert(1)</script>"]}))
    assert "<script" not in html and "<i>" not in html and "&lt;script" in html
