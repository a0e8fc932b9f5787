"""Warnings and errors of a trtexec log → Notes that quote them and say what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from trex.core.counted import counted
from trex.core.note import Note
from trex.ingest.logs.chatter import INSUFFICIENT_SCRATCH
from trex.ingest.logs.log_lines import LogLine
from trex.ingest.logs.warning_table import COUNTED, KNOWN_WARNINGS

_LIMIT = 20
_QUOTED_CHARS = 400
_ADVICE_LINES = 3
_USUAL_WORKSPACE_MIB = 1024
_WORKSPACE = "tactics-skipped-for-workspace"
_SCRATCH = re.compile(r"Scratch requested: ([0-9]{1,18}), available: ([0-9]{1,18})", re.ASCII)


@dataclass(slots=True)
class _Kept:
    """A message that becomes a Note. count: how often it, or one of its kind, was said. advice: the lines below it."""

    code: str
    severity: str
    next_step: str
    text: str
    line: int
    count: int = 1
    advice: list[str] = field(default_factory=list)


class Warnings:
    """Collects what is worth keeping: trtexec's own warnings, the known ones of the library, and all errors.

    A warning's following lines (indented) become the Note's hint. The same text is kept once; of each kind at most
    twenty are, and a Note tells how many more there were. What the library says of each layer is one Note.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._left_out = {"W": 0, "E": 0}
        self._count = {"W": 0, "E": 0}
        self._last: _Kept | None = None
        self._unscratched = self._requested = self._available = 0
        self.first_error = ""

    @property
    def codes(self) -> frozenset[str]:
        return frozenset(kept.code for kept in self._kept.values())

    def add(self, line: LogLine) -> None:
        """A line of any severity: one that is no warning counts when it is known."""
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
            self._keep("E", _Kept("error-in-log", "problem", "", text, line.number))
            return
        if INSUFFICIENT_SCRATCH in text:
            self._add_scratch(text, line.number)
            return
        known = next((known for known in KNOWN_WARNINGS if known.words in text), None)
        if known:
            self._keep("W", _Kept(known.code, known.severity, known.next_step, text, line.number))
            return
        if not line.is_trt and line.severity == "W":
            self._keep("W", _Kept("warning-in-log", "info", "", text, line.number))

    def _add_scratch(self, text: str, number: int) -> None:
        found = _SCRATCH.search(text)
        if found:
            self._unscratched += 1
            self._requested = max(self._requested, int(found[1]))
            self._available = int(found[2])
            self._keep("W", _Kept(_WORKSPACE, "warning", "", text, number))

    def _keep(self, kind: str, new: _Kept) -> None:
        key = (new.code, "" if new.code in COUNTED else new.text)
        known = self._kept.get(key)
        if known is not None:
            known.count += 1
            return
        if self._count[kind] >= _LIMIT:
            self._left_out[kind] += 1
            return
        self._count[kind] += 1
        self._kept[key] = self._last = new

    def notes(self, where: str) -> list[Note]:
        notes = [self._note(kept, f"{where}:{kept.line}" if where else "") for kept in self._kept.values()]
        for kind, word in (("W", "warnings"), ("E", "errors")):
            if self._left_out[kind]:
                notes.append(
                    Note(
                        f"more-{word}-in-log",
                        f"the log has {counted(self._left_out[kind], f'more {word[:-1]}')}",
                        "",
                        where,
                        "info",
                    )
                )
        return notes

    def _note(self, kept: _Kept, where: str) -> Note:
        if kept.code == _WORKSPACE and self._unscratched:
            return self._workspace_note(where)
        message = kept.text
        if kept.code in COUNTED and kept.count > 1:
            message = f"{message} ({counted(kept.count, 'such message')})"
        return Note(kept.code, message, " ".join(kept.advice) or kept.next_step, where, kept.severity)

    def _workspace_note(self, where: str) -> Note:
        mib = max(_USUAL_WORKSPACE_MIB, -(-self._requested // (1 << 20)))
        return Note(
            "tactics-skipped-for-workspace",
            f"{counted(self._unscratched, 'tactic was', 'tactics were')} not tried for want of workspace: up to "
            f"{self._requested:,} bytes asked for, {self._available:,} there",
            f"give a larger workspace, in MiB and without a unit: --memPoolSize=workspace:{mib}",
            where,
        )
