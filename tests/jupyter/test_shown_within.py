"""What a function shows, as outputs that a widget holds."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from trex.core.errors import TrexError

pytest.importorskip("IPython", reason="IPython is absent: pip install ipython")
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import HTML, display

from trex.jupyter.shown_within import outputs_of, shown_within


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


def test_words_come_before_what_is_displayed(shell: InteractiveShell) -> None:
    def draw() -> None:
        display(HTML("<b>layers</b>"))
        print("35 layers")

    words, shown = outputs_of(draw)
    assert words == {"output_type": "stream", "name": "stdout", "text": "35 layers\n"}
    assert shown["output_type"] == "display_data" and shown["data"]["text/html"] == "<b>layers</b>"


def test_pictures_are_text_as_in_a_notebooks_file(shell: InteractiveShell) -> None:
    (shown,) = outputs_of(lambda: display({"image/png": b"\x89PNG"}, raw=True))
    assert shown["data"]["image/png"] == "iVBORw=="


def test_a_mistake_of_the_user_is_its_sentence_and_others_are_raised(shell: InteractiveShell) -> None:
    widget = SimpleNamespace(outputs=("before",))

    def fail() -> None:
        raise TrexError("no such column", "see plan.df.columns")

    shown_within(widget, fail)
    assert "no such column" in widget.outputs[0]["text"] and "plan.df.columns" in widget.outputs[0]["text"]
    with pytest.raises(ZeroDivisionError):
        shown_within(widget, lambda: 1 / 0)
