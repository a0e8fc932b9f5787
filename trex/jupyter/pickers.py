"""Pickers: a menu above what is shown, as ipywidgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from trex.core.errors import TrexError, missing_extra
from trex.jupyter.show import show, shown_in_this_cell
from trex.jupyter.shown_within import shown_within


def widgets() -> Any:
    """The module ipywidgets. Raises TrexError naming the extra when it is not installed."""
    try:
        import ipywidgets
    except ImportError as error:
        raise missing_extra("ipywidgets", "notebook", "a menu in a notebook") from error
    return ipywidgets


class Picker:
    """A menu; what is chosen is shown below, in place of what was.

    draw: gets the choice and shows it. choices: what the menu offers, in order.
    Raises TrexError when there is nothing to choose from.
    """

    def __init__(self, draw: Callable[[str], Any], choices: Iterable[str], description: str = "") -> None:
        offered = list(choices)
        if not offered:
            raise TrexError("there is nothing to choose from", "give at least one choice")
        library = widgets()
        self.draw = draw
        self.output_widget = library.Output()
        self.choice_widget = library.Dropdown(
            options=offered,
            value=offered[0],
            description=description,
            style={"description_width": "initial"},
            layout=library.Layout(width="auto", max_width="640px"),
        )
        self.choice_widget.observe(self._changed, names="value")
        self.dropdown_state_eventhandler(offered[0])
        self.box = library.VBox([self.choice_widget, self.output_widget])
        show(self.box)
        self._ipython_display_ = shown_in_this_cell(lambda: show(self.box))

    def dropdown_state_eventhandler(self, user_choice: str) -> None:
        """Shows a choice, as if it were picked from the menu."""
        shown_within(self.output_widget, lambda: self.draw(user_choice))

    def _changed(self, change: Mapping[str, Any]) -> None:
        self.dropdown_state_eventhandler(change["new"])
