"""Code of a Note → the module that makes it, found in our own source.

A Note carries its message and its next step; its module's docstring says why it matters.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_FLOORS = ("ingest", "plan", "perf", "capture", "store", "views", "classic")
# Words joined by hyphens, but for two.
_CODE = re.compile(r"(?!utf-)[a-z0-9]+(?:-[a-z0-9]+)+|truncated|simulated")
_NOTE = re.compile(r"\bNote\b|\bnote\(")


@dataclass(frozen=True, slots=True)
class NoteCode:
    """summary: first line of the docstring of its module. file: that module's path, from the package on."""

    code: str
    summary: str
    file: str


def find_note(code: str) -> NoteCode | None:
    """The first module that writes the code; None for an unknown one."""
    if not _CODE.fullmatch(code):
        return None
    written = re.compile(rf'"{code}"(?=\s*(?:[,:]|if\b))|^[A-Z_]+ = "{code}"$', re.MULTILINE)
    for floor in _FLOORS:
        for file in sorted((_ROOT / "trex" / floor).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if written.search(text) and _NOTE.search(text):
                summary = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0].replace("``", "`")
                return NoteCode(code, summary, file.relative_to(_ROOT).as_posix())
    return None
