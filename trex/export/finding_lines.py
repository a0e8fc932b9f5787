"""Findings → lines of text: what, how much time it could save, the fix, and how to check it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trex.export.lines import Line
from trex.views.document import Findings


def findings_lines(block: Findings, width: int | None) -> Iterator[Line]:
    yield from ()


def finding_lines(number: int, finding: Any, width: int | None) -> Iterator[Line]:
    yield from ()
