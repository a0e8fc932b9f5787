"""Globs of layer names, which contain brackets: ``{ForeignNode[/a...b]}``, ``(Unnamed Layer* 3) [TopK]``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import translate


def matcher(globs: Iterable[str]) -> Callable[[str], bool]:
    """Whether a name matches one of these globs, where a bracket begins a set of characters or is itself."""
    patterns = (translate(text) for glob in globs for text in (glob, glob.replace("[", "[[]")))
    pattern = re.compile("|".join(patterns) or r"(?!)")
    return lambda name: pattern.match(name) is not None
