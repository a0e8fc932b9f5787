"""Menus of TREx's notebooks: how a choice reaches the function that shows it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from trex.jupyter.pickers import Picker


class InteractiveDiagram(Picker):
    """A menu of ``choices``; the chosen one is given to ``diagram_renderer``, which shows it.

    choices: names, or {name: further arguments}: the renderer is called with (name, \\*arguments). An argument that is
    neither tuple nor list is one argument.
    """

    def __init__(self, diagram_renderer: Callable[..., Any], choices: Iterable[str], description: str) -> None:
        self.diagram_renderer, self.choices = diagram_renderer, choices
        super().__init__(lambda choice: diagram_renderer(choice, *_arguments(choices, choice)), choices, description)


class InteractiveDiagram_2(Picker):
    """A menu of functions by name; the chosen one is called with ``title=`` its name, if it takes a title."""

    def __init__(self, choices: Mapping[str, Callable[..., Any]], description: str) -> None:
        self.choices = choices
        super().__init__(lambda choice: _titled(choices[choice], choice), choices, description)


def _arguments(choices: Iterable[str], choice: str) -> tuple[Any, ...]:
    if not isinstance(choices, Mapping):
        return ()
    values = choices[choice]
    return tuple(values) if isinstance(values, tuple | list) else (values,)


def _titled(show: Callable[..., Any], title: str) -> Any:
    try:
        inspect.signature(show).bind(title=title)
    except (TypeError, ValueError):
        return show()
    return show(title=title)
