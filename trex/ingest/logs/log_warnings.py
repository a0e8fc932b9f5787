"""Warnings and errors of a trtexec log → Notes that quote them."""

from __future__ import annotations

from trex.core.counted import counted
from trex.core.note import Note
from trex.ingest.logs.log_lines import LogLine

_LIMIT = 20
_QUOTED_CHARS = 400

# (what the line contains, the Note's code, its severity); the first that fits wins.
_KNOWN = (
    ("GPU compute time is unstable", "unstable-gpu-time", "warning"),
    ("may be bound by Enqueue Time", "enqueue-bound", "warning"),
    ("bound by host-to-device", "host-to-device-bound", "warning"),
    ("bound by device-to-host", "device-to-host-bound", "warning"),
    ("auxiliary streams", "auxiliary-streams", "warning"),
    ("e2e network timing is not reported", "no-end-to-end-timing", "info"),
    ("Automatically overriding shape", "shape-chosen-by-trtexec", "warning"),
    ("Automatically setting shape", "shape-chosen-by-trtexec", "warning"),
    ("weights are affected by this issue", "weights-out-of-range", "warning"),
)


class Warnings:
    """Collects what is worth keeping: trtexec's own warnings, the known ones of the library, and all errors.

    A warning's following lines (indented) become the Note's hint. The same text is kept once; of each kind at most
    twenty are, and a Note tells how many more there were.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], tuple[str, str, int, list[str]]] = {}
        self._left_out = {"W": 0, "E": 0}
        self._count = {"W": 0, "E": 0}
        self._hint: list[str] | None = None
        self.first_error = ""

    def add(self, line: LogLine) -> None:
        message = line.message
        text = message.strip(" \t")[:_QUOTED_CHARS]
        if self._hint is not None and message[:2] == "  " and text and not line.is_trt:
            if len(self._hint) < 3:
                self._hint.append(text)
            return
        self._hint = None
        text = text.removeprefix("* ").removeprefix("- ").lstrip(" ")
        if not text:
            return
        if line.severity in "EF":
            self.first_error = self.first_error or text
            self._keep("E", "error-in-log", "problem", text, line.number)
            return
        known = next(((code, severity) for mark, code, severity in _KNOWN if mark in text), None)
        if known:
            self._keep("W", *known, text, line.number)
        elif not line.is_trt and line.severity == "W":
            self._keep("W", "warning-in-log", "info", text, line.number)

    def _keep(self, kind: str, code: str, severity: str, text: str, number: int) -> None:
        key = (code, text)
        if key in self._kept:
            return
        if self._count[kind] >= _LIMIT:
            self._left_out[kind] += 1
            return
        self._count[kind] += 1
        self._hint = []
        self._kept[key] = (severity, text, number, self._hint)

    def notes(self, where: str) -> list[Note]:
        notes = [
            Note(code, text, " ".join(hint), f"{where}:{number}" if where else "", severity)
            for (code, _), (severity, text, number, hint) in self._kept.items()
        ]
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
