"""Docstring of a chart → what the chart shows and how to read it."""

from __future__ import annotations

from trex.core.registry import Plug


def explanation(plug: Plug) -> str:
    """The docstring below its first line, as one paragraph."""
    below = plug.doc.partition("\n")[2].strip().removeprefix("What it shows:").strip()
    words = " ".join(below.split())
    return words[:1].upper() + words[1:]
