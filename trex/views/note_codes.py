"""Code of a Note → its module and message, from our own source.

A Note is explained where it is made: its message there says what was found, its module's docstring why it matters.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from trex.core.note import SEVERITIES

_ROOT = Path(__file__).resolve().parents[2]
_FLOORS = ("ingest", "plan", "perf", "capture", "views")
_CODE = re.compile(r"[a-z0-9…]+(?:-[a-z0-9…]+)+")
_WORD = re.compile(r"[a-z]{3,40}")
_GAP = "…"


@dataclass(frozen=True, slots=True)
class NoteCode:
    """message, hint: as they are written, with … for what differs from file to file. module_summary: first line of
    the docstring of its module. file: that module's path, from the package on.
    """

    code: str
    severity: str
    message: str
    hint: str
    module_summary: str
    file: str


def find_note(code: str) -> NoteCode | None:
    """What the Note of this code says; None for an unknown code."""
    if not _CODE.fullmatch(code) and not _WORD.fullmatch(code):
        return None
    codes = note_codes()
    if code in codes or _GAP in code:
        return codes.get(code)
    patterns = (known for known in codes if _GAP in known)
    result = next((known for known in patterns if re.fullmatch(known.replace(_GAP, "[a-z]+"), code)), "")
    return codes.get(result)


@cache
def note_codes() -> dict[str, NoteCode]:
    """Every code, in alphabetical order."""
    result: dict[str, NoteCode] = {}
    for floor in _FLOORS:
        for file in sorted((_ROOT / "trex" / floor).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if "note" in text.lower():
                for entry in _codes_in(text, file.relative_to(_ROOT).as_posix()):
                    result.setdefault(entry.code, entry)
    return dict(sorted(result.items()))


def _codes_in(text: str, file: str) -> Iterator[NoteCode]:
    tree = ast.parse(text)
    module_summary = (ast.get_docstring(tree) or "").partition("\n")[0].replace("``", "`")
    constants = _assigned(tree.body)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            known = constants | _assigned(list(ast.walk(function)))
            for node in ast.walk(function):
                if isinstance(node, ast.Call):
                    yield from _called(node, known, module_summary, file)
    if "Note(" in text or ".note(" in text:
        for node in ast.walk(tree):
            yield from _listed(node, constants, module_summary, file)


def _assigned(nodes: list[Any]) -> dict[str, str]:
    """Names that these statements give a text."""
    return {
        target.id: text
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and (text := _template(node.value, {}))
    }


def _called(node: ast.Call, known: dict[str, str], module_summary: str, file: str) -> Iterator[NoteCode]:
    """The Note that a call makes, or that it keeps for later: ``Note(code, message, hint …)``, ``note(…)``."""
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if not name.lower().endswith("note") or not node.args:
        severity = next((word for arg in node.args if (word := _template(arg, {})) in SEVERITIES), "")
        if severity:
            for arg in node.args:
                yield from (NoteCode(code, severity, "", "", module_summary, file) for code in _codes(arg))
        return
    given = {word.arg: _template(word.value, known) for word in node.keywords}
    words = [*(_template(word, known) for word in node.args[1:]), "", ""]
    severity = next((word for word in words if word in SEVERITIES), given.get("severity", "warning"))
    message, hint = ("" if word in SEVERITIES else word for word in words[:2])
    for code in _codes(node.args[0], _WORD):
        yield NoteCode(
            code, severity, message or given.get("message", ""), hint or given.get("hint", ""), module_summary, file
        )


def _listed(node: ast.AST, constants: dict[str, str], module_summary: str, file: str) -> Iterator[NoteCode]:
    """Notes kept in tables: tuples that hold a code, or dictionaries from codes to tuples."""
    rows: list[tuple[ast.expr, list[ast.expr]]] = []
    if isinstance(node, ast.Tuple):
        rows = [(item, [other for other in node.elts if other is not item]) for item in node.elts]
    elif isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        rows = [(key, value.elts) for key, value in pairs if key is not None and isinstance(value, ast.Tuple)]
    for key, others in rows:
        words = [_template(other, constants) for other in others]
        sentences = [word for word in words if " " in word]
        severities = [word for word in words if word in SEVERITIES]
        for code in _codes(key, _WORD if severities and isinstance(node, ast.Dict) else _CODE):
            if sentences:
                severity = severities[0] if severities else "warning"
                yield NoteCode(code, severity, sentences[-1].replace("{n}", _GAP), "", module_summary, file)


def _codes(node: ast.expr, also: re.Pattern[str] = _CODE) -> Iterator[str]:
    """The codes an expression may be; ``also``: what else than words joined by hyphens counts as one."""
    if isinstance(node, ast.Constant | ast.JoinedStr):
        text = _template(node, {})
        if _CODE.fullmatch(text) or also.fullmatch(text):
            yield text
    elif isinstance(node, ast.IfExp):
        yield from _codes(node.body, also)
        yield from _codes(node.orelse, also)


def _template(node: ast.expr, constants: dict[str, str]) -> str:
    """The text of an expression, … for what is known only when it runs."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_template(part, constants) or _GAP for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return _template(node.value, constants)
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "counted":
        words = [_template(word, constants) for word in node.args[1:]]
        return f"{_GAP} {(words[-1] if len(words) > 1 else words[0] + 's') or _GAP}"
    if isinstance(node, ast.BinOp):
        return "".join(_template(side, constants) or _GAP for side in (node.left, node.right))
    if isinstance(node, ast.IfExp):
        return _template(node.body, constants)
    if isinstance(node, ast.Name):
        return constants.get(node.id, "")
    return ""
