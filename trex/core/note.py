"""Note: one thing that was repaired, missing or not understood in the data that it belongs to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from trex.core.printable import clipped, printable, shell_word

MESSAGE_CHARS = 1000
_CODE = re.compile(r"[a-z0-9]{1,40}(?:-[a-z0-9]{1,40}){0,15}", re.ASCII)
SEVERITIES = ("info", "warning", "problem")


@dataclass(frozen=True, slots=True)
class Note:
    """What a user of the data should know about how it was read.

    code: stable kebab-case identifier (``names-only-engine``), for filters and tests.
    message: one sentence of fact, with numbers ("3 of 40 layers have no profile record").
    hint: what the user can do about it, often a command; may be empty. Both are clipped to 1000 characters.
    where: the address (``resnet.graph.json:1:840``, a layer name), or empty.
    severity: ``info`` (good to know), ``warning`` (a number is partial), ``problem`` (data was lost).
    """

    code: str
    message: str
    hint: str = ""
    where: str = ""
    severity: str = "warning"

    def __post_init__(self) -> None:
        if self.severity not in SEVERITIES:
            raise ValueError(f"severity {self.severity!r} is not one of {SEVERITIES}")
        for part in ("message", "hint"):
            if len(text := getattr(self, part)) > MESSAGE_CHARS:
                object.__setattr__(self, part, clipped(text, MESSAGE_CHARS))

    def seen_from(self, folder: str) -> Note:
        """The same Note, its address relative to ``folder`` if it is inside it."""
        prefix = folder.rstrip("/\\")
        rest = self.where[len(prefix) :].lstrip("/\\")
        is_below = prefix and self.where.startswith((f"{prefix}/", f"{prefix}\\")) and rest
        return replace(self, where=rest) if is_below else self

    def __str__(self) -> str:
        address = f"{self.where}: " if self.where else ""
        hint = f" ({self.hint})" if self.hint else ""
        return printable(f"{address}{self.message}{hint}")


def stored_note(record: Mapping[str, Any]) -> Note:
    """Of a file that may be a stranger's: the code is a code, and what to do is what trex says about it. Raises
    ValueError, TypeError and KeyError.
    """
    code, message, where, severity = (record[name] for name in ("code", "message", "where", "severity"))
    if not all(isinstance(text, str) for text in (code, message, where, severity)) or not _CODE.fullmatch(code):
        raise ValueError("a note has no code")
    return Note(code, message, f"trex explain {shell_word(code)}", where, severity)
