"""Warnings and errors in a trtexec log → Notes that quote them, with a next step."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from trex.core.counted import counted
from trex.core.note import Note
from trex.ingest.logs.chatter import INSUFFICIENT_SCRATCH
from trex.ingest.logs.log_lines import LogLine
from trex.ingest.logs.warning_table import COUNTED, known_warning

_LIMIT = 20
_NO_DRIVER = "(cudaError 35:"
_QUOTED_CHARS = 400
_ADVICE_LINES = 3
_USUAL_WORKSPACE_MIB = 1024
_WORKSPACE = "tactics-skipped-for-workspace"
_SCRATCH = re.compile(r"Scratch requested: ([0-9]{1,18}), available: ([0-9]{1,18})", re.ASCII)


@dataclass(slots=True)
class _Message:
    """A message that becomes a Note. count: of this message or its kind. advice: the lines after it."""

    code: str
    severity: str
    next_step: str
    text: str
    line: int
    count: int = 1
    advice: list[str] = field(default_factory=list)


class Warnings:
    """Collects trtexec's warnings, the known warnings of the library, and all errors.

    The indented lines after a warning become the Note's hint. Each text is kept once, at most twenty of a kind, and a
    Note counts the rest. Messages that the library repeats per layer are one Note.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], _Message] = {}
        self._count: Counter[str] = Counter()
        self._left_out = 0
        self._last: _Message | None = None
        self._skipped_tactics = self._requested = self._available = 0
        self.first_error = ""

    def add(self, line: LogLine) -> None:
        """Adds a line of any severity; one that is no warning is kept if its text is known."""
        message = line.message
        text = message.strip(" \t")[:_QUOTED_CHARS]
        if self._last is not None and message[:2] == "  " and text and not line.is_trt:
            if len(self._last.advice) < _ADVICE_LINES:
                self._last.advice.append(text)
            return
        self._last = None
        text = text.removeprefix("* ").removeprefix("- ").lstrip(" ")
        if not text:
            return
        if line.severity in "EF":
            self.first_error = self.first_error or text
            self._keep(_Message("error-in-log", "problem", "", text, line.number))
            return
        if INSUFFICIENT_SCRATCH in text:
            self._add_scratch(text, line.number)
            return
        if known := known_warning(text):
            self._keep(_Message(known.code, known.severity, known.next_step, text, line.number))
            return
        if not line.is_trt and line.severity == "W":
            self._keep(_Message("warning-in-log", "info", "", text, line.number))

    def _add_scratch(self, text: str, number: int) -> None:
        match = _SCRATCH.search(text)
        if match:
            self._skipped_tactics += 1
            self._requested = max(self._requested, int(match[1]))
            self._available = int(match[2])
            self._keep(_Message(_WORKSPACE, "warning", "", text, number))

    def _keep(self, new: _Message) -> None:
        key = (new.code, "" if new.code in COUNTED else new.text)
        known = self._kept.get(key)
        if known is not None:
            known.count += 1
            return
        if self._count[new.code] >= _LIMIT:
            self._left_out += 1
            return
        self._count[new.code] += 1
        self._kept[key] = self._last = new

    def has(self, code: str) -> bool:
        """Whether a kept message has this code."""
        return self._count[code] > 0

    def notes(self, where: str, is_built: bool = False) -> list[Note]:
        """is_built: an engine was built; errors for want of a GPU driver are left out, they only mean that it was not
        loaded afterwards.
        """
        shown = [kept for kept in self._kept.values() if not (is_built and _NO_DRIVER in kept.text)]
        notes = [self._note(kept, f"{where}:{kept.line}" if where else "") for kept in shown]
        if self._left_out:
            message = f"the log contains {counted(self._left_out, 'more warning or error', 'more warnings and errors')}"
            notes.append(Note("more-warnings-in-log", message, "", where, "info"))
        return notes

    def _note(self, kept: _Message, where: str) -> Note:
        if kept.code == _WORKSPACE and self._skipped_tactics:
            return self._workspace_note(where)
        message = kept.text
        if kept.code in COUNTED and kept.count > 1:
            message = f"{message} ({counted(kept.count, 'such message')})"
        return Note(kept.code, message, " ".join(kept.advice) or kept.next_step, where, kept.severity)

    def _workspace_note(self, where: str) -> Note:
        mib = max(_USUAL_WORKSPACE_MIB, -(-self._requested // (1 << 20)))
        return Note(
            _WORKSPACE,
            f"{counted(self._skipped_tactics, 'tactic was', 'tactics were')} skipped, the workspace is too small: "
            f"up to {self._requested:,} bytes requested, {self._available:,} available",
            f"give a larger workspace, in MiB and without a unit: --memPoolSize=workspace:{mib}",
            where,
        )
