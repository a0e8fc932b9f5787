"""Findings → Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from trex.views.document import Findings


def findings_markdown(block: Findings) -> Iterator[str]:
    yield from ()
