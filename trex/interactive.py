"""InteractiveDiagram: a menu above a diagram, in a notebook.

Differs from NVIDIA's TREx: the first choice is shown at once, and a choice replaces what was shown before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from trex.jupyter.pickers import Picker

__all__ = ["InteractiveDiagram", "InteractiveDiagram_2"]


class InteractiveDiagram(Picker):
    """A menu of ``choices``; the chosen one is given to ``diagram_renderer``, which shows it."""

    def __init__(self, diagram_renderer: Callable[[str], Any], choices: Iterable[str], description: str) -> None:
        super().__init__(diagram_renderer, choices, description)


class InteractiveDiagram_2(Picker):
    """A menu of functions by name; the chosen one is called without arguments."""

    def __init__(self, choices: Mapping[str, Callable[[], Any]], description: str) -> None:
        super().__init__(lambda choice: choices[choice](), choices, description)
