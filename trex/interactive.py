"""InteractiveDiagram: a menu above a diagram, in a notebook.

Differs from NVIDIA's TREx: the first choice is shown at once, and a choice replaces what was shown before.
"""

from __future__ import annotations

from trex import _reexported
from trex.classic.menus import InteractiveDiagram, InteractiveDiagram_2

__all__ = ["InteractiveDiagram", "InteractiveDiagram_2"]


__getattr__ = _reexported(__name__)
