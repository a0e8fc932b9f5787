"""Code of a Note → the module that makes it, found in our own source.

A Note carries its message and its next step; its module's docstring says why it matters.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_FIRST = ("ingest", "plan", "perf", "capture", "store", "views", "classic")
"""Of the folders in the package: those of the Notes that most engines get."""
_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
# What may stand in a table or be named by a constant: words joined by hyphens, but for two.
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
    if not _WORD.fullmatch(code):
        return None
    forms = [rf'\bNote\(\s*"{code}"']
    if _CODE.fullmatch(code):
        forms += [rf'"{code}"(?=\s*(?:[,:]|if\b))', rf'^[A-Z_]+(?:, [A-Z_]+)* = (?:.*, )?"{code}"$']
    written = re.compile("|".join(forms), re.MULTILINE)
    package = _ROOT / "trex"
    folders = dict.fromkeys((*(package / name for name in _FIRST), *sorted(package.iterdir())))
    for folder in folders:
        for file in sorted(folder.rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if f'"{code}"' in text and written.search(text) and _NOTE.search(text):
                summary = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0].replace("``", "`")
                return NoteCode(code, summary, file.relative_to(_ROOT).as_posix())
    return None
