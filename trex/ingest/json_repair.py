"""Damaged JSON text → documents: one pass in linear time that keeps everything complete and counts its repairs."""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import nan
from types import MappingProxyType
from typing import Any

from trex.core.counted import counted
from trex.core.errors import EXCERPT_CHARS, TrexError
from trex.core.note import Note
from trex.core.printable import clipped
from trex.ingest.text import address_in

MAX_DEPTH = 128
_MAX_ATTEMPTS = 64
_NAMED_KEYS, _LONGEST_KEY = 3, 60

# code → severity, what is counted, what was done
_REPAIRS = {
    "truncated": ("problem", "the file is cut off", "everything complete before the cut was kept"),
    "control-characters": ("info", "raw control character", "kept inside strings"),
    "unescaped-quotes": ("info", "string", "with unescaped quotes, read to the most likely end"),
    "damaged-string": ("problem", "string", "may contain members of several lines, and others be lost"),
    "bad-escape": ("info", "string", "with invalid escapes, kept as written"),
    "lone-surrogate": ("warning", "half surrogate pair", "replaced by U+FFFD"),
    "unterminated-string": ("warning", "string", "without a closing quote, ended with its line"),
    "not-a-number": ("warning", "value", "nan or infinite"),
    "unreadable-value": ("warning", "unreadable value", "read as unknown"),
    "decimal-comma": ("warning", "number", "with a decimal comma, read as a decimal"),
    "unreadable-text": ("warning", "unreadable character", "skipped"),
    "extra-text": ("info", "character", "outside the JSON skipped"),
    "several-documents": ("info", "JSON document", "in one file"),
    "missing-comma": ("info", "missing comma", "inserted"),
    "trailing-comma": ("info", "extra comma", "ignored"),
    "missing-colon": ("warning", "missing colon", "inserted"),
    "missing-value": ("warning", "key", "without a value, left out"),
    "duplicate-key": ("problem", "duplicate key", "with other values: the last one counts"),
    "duplicate-top-level-key": ("problem", "duplicate top-level key", "with other values: the last one counts"),
    "missing-bracket": ("warning", "missing closing bracket", "inserted"),
    "stray-bracket": ("warning", "extra closing bracket", "ignored"),
}
_HINTS = {
    "duplicate-key": "export the file again: one run, one file",
    "duplicate-top-level-key": "export the file again: one run, one file",
    "damaged-string": "copy or export the file again",
    "truncated": "export the file again; a full disk or a killed run leaves such files",
    "not-a-number": "a layer that never ran has no time: profile more iterations",
}

_S = r"[ \t\r\n]*"
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
# A bracket starts a document only if JSON follows: lines of logs start with brackets, too.
_DOCUMENT = re.compile(
    r'\{\s*(?:"|\}|\Z)|\[\s*(?:["\[\]]|,\s*[{\["]|\Z|\{\s*(?:["}]|\Z)'
    rf"|(?:{_NUMBER}|true|false|null|-?nan|-?inf)\s*(?:[,\]]|\Z))"
)
_SPACE = re.compile(_S)
_SEPARATORS = re.compile(r"[ \t\r\n,]*")
_BARE_VALUE = re.compile(r'[^\s,\[\]{}":]+')
# In an object only: in a list, a comma separates.
_COMMA_NUMBER = re.compile(r"-?[0-9]+(?:,[0-9]+)+(?:[eE][-+]?[0-9]+)?(?=[ \t\r\n]*(?:[,}]|\Z))")
_FOLLOWS = re.compile(rf'{_S}(?:[,\]}}\[{{"]|\Z)')
_NONSENSE = re.compile(r'[^,\[\]{}"]+|.', re.DOTALL)

# What must follow a quote that ends a string, by what the string is.
_COMMAS = r",[ \t\r\n,]*"
_KEY = rf'"[^"\n]*"{_S}:'
_CLOSED = rf"(?:{_S}(?:[,\]}}{{\[&]|\Z|{_KEY})|[ \t]*[\r\n])"
_VALUE = r"(?:[\"{\[\]\-0-9]|true|false|null|nan|inf|NaN|Infinity|\Z)"
_AFTER = {
    "key": rf"{_S}(?::|\Z)",
    "member": rf"{_S}(?:\}}{_CLOSED}|{_COMMAS}(?:\"[^\"\n]*(?:\"{_S}(?::|\Z)|\Z)|[}}\]{{]|\Z)|{_KEY}|\Z)",
    "item": rf"(?:{_S}(?:\]{_CLOSED}|{_COMMAS}{_VALUE}|\Z)|[ \t]*\r?\n{_S}\")",
}
_MARKS = {kind: re.compile(rf'"(?={after})') for kind, after in _AFTER.items()}
# A line that starts the next record or member, or ends the record.
_MARKS["line"] = re.compile(
    r'\r?\n(?=[ \t]*(?:,[ \t]*)?(?:\{[ \t]*)?"[^"\n]*"[ \t]*:|[ \t]*[}\]][ \t]*,?[ \t]*(?:[\r\n]|\Z))'
)
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|["\\]')
_MEMBERS = re.compile(r'(?<!\\)"[ \t]*(?:,[ \t]*\r?\n|\r?\n[ \t]*,)|,[ \t]*\r?\n[ \t]*"')
_CONTROL = re.compile(r"[\x00-\x1f]")
_HALF = re.compile(r"\\u[dD]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

_DIGITS = re.compile(r"[-+]?[0-9]{1,20}")
_TIGHT_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_NOT_A_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?:nan(?:\(\w*\))?|1\.#(?:q?nan|ind|snan)\w*|(?P<inf>inf(?:inity)?|1\.#inf\w*))", re.IGNORECASE
)
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}


def repair(text: str, where: str = "") -> tuple[list[Any], tuple[Note, ...]]:
    """The documents in a damaged JSON text, and one Note per kind of repair.

    ``nan`` and infinities become floats. Raises TrexError if nothing is complete, or brackets nest too deep.
    """
    reader = _RepairReader(text, where)
    documents = reader.documents()
    if not any(documents) and (reader.repairs or not documents):
        raise reader.error()
    return documents, repair_notes(reader.repairs, text, where, reader.lost_keys)


def repair_notes(
    repairs: Mapping[str, Sequence[int]],
    text: str,
    where: str,
    keys: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> tuple[Note, ...]:
    """One Note per kind of repair, in the order of their first positions. repairs: {code: (count, position)}. keys:
    {code: the first keys that it is about}.
    """
    notes = []
    for code, (count, position) in sorted(repairs.items(), key=lambda item: item[1][1]):
        severity, what, action = _REPAIRS[code]
        message = f"{what}: {action}" if code == "truncated" else f"{counted(count, what)} {action}"
        if code in keys:
            message += f" ({', '.join(repr(clipped(key, _LONGEST_KEY)) for key in keys[code])})"
        elif near := _excerpt(text, position, EXCERPT_CHARS if severity == "problem" else 80):
            message += f" ({'first ' if count > 1 else ''}near {near!r})"
        notes.append(Note(code, message, _HINTS.get(code, ""), address_in(text, position, where), severity))
    return tuple(notes)


def check_depth(document: Any, where: str, limit: int = MAX_DEPTH) -> None:
    """Raises TrexError for a document nested deeper than other code can handle."""
    level = [document]
    for _ in range(limit):
        level = [child for child in gc.get_referents(*level) if isinstance(child, (list, dict))]
        if not level:
            return
    raise _too_deep(where)


def _too_deep(where: str) -> TrexError:
    return TrexError(
        f"brackets are nested more than {MAX_DEPTH} deep, deeper than in any file of TensorRT",
        "check that this is the right file",
        where,
    )


class _RepairReader:
    """Reads from bracket to bracket without recursion.

    repairs: {code: [count, first position]}. open, keys: the containers around the current position, outermost first,
    and for each the key that waits for its value. separated: a comma or an opening bracket came last. lost_keys: {code:
    the first keys that lost a value}.
    """

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where
        self.repairs: dict[str, list[int]] = {}
        self.expected: tuple[int, str] | None = None
        self.open: list[Any] = []
        self.keys: list[str | None] = []
        self.separated = True
        self.document: Any = None
        # The strict reader accepts half surrogate pairs. Each failure may read all the text, so they are limited.
        self.attempts = 0 if _HALF.search(text) else _MAX_ATTEMPTS
        self.lost_keys: dict[str, list[str]] = {}
        self._lost: list[tuple[dict[str, Any], str]] = []  # (object, key) of the attempt
        self._strict = json.JSONDecoder(
            parse_int=_number, parse_constant=_refuse, object_pairs_hook=partial(_members, self._lost)
        )
        self._marks = dict.fromkeys(_MARKS, (0, -1))
        self._known_keys: dict[str | None, str | None] = {}
        self._key_end = 0

    def repair(self, code: str, position: int, expected: str = "", count: int = 1) -> None:
        entry = self.repairs.setdefault(code, [0, position])
        entry[0] += count
        entry[1] = min(entry[1], position)
        if expected and self.expected is None:
            self.expected = (position, expected)

    def error(self) -> TrexError:
        """For a text without anything complete."""
        position, expected = self.expected or (0, "'{' or '['")
        message = "the file ends before anything in it is complete"
        if position < len(self.text):
            message = f"this is not JSON: expected {expected}, found {self.text[position]!r}"
        hint = "export the file again, and check the log of the run that wrote it"
        return TrexError(message, hint, address_in(self.text, position, self.where), _excerpt(self.text, position))

    # ---- documents

    def documents(self) -> list[Any]:
        documents: list[Any] = []
        position = self._next_document(0)
        while position < len(self.text):
            position = self._read_document(position)
            if self.document is not None:
                documents.append(self.document)
            position = self._next_document(position)
        if len(documents) > 1:
            self.repair("several-documents", 0, count=len(documents))
        return documents

    def _next_document(self, position: int) -> int:
        """Position of the next document's bracket; text before it is skipped."""
        text = self.text
        position = _end(_SEPARATORS, text, position)
        if position >= len(text) or _DOCUMENT.match(text, position):
            return position
        match = _DOCUMENT.search(text, position)
        end = match.start() if match else len(text)
        skipped = text[position:end]
        if self.expected is None:
            is_brace = text[position] == "{"
            start = _end(_SPACE, text, position + 1) if is_brace else position
            self.expected = (start, "a key in quotes or '}'" if is_brace else "'{' or '['")
        is_text = set(skipped) - set("]},; \t\r\n")
        self.repair("extra-text" if is_text else "stray-bracket", position, count=len(skipped.strip()) or 1)
        return end

    def _read_document(self, position: int) -> int:
        """Sets ``document``, None if nothing in it is complete; returns its end."""
        position = self._container(position)
        while self.open:
            position = _end(_SPACE, self.text, position)
            if position >= len(self.text):
                self._cut_off()
            elif self.text[position] in ",]}":
                position = self._punctuation(position)
            elif type(self.open[-1]) is dict and self.keys[-1] is None:
                position = self._key(position)
            else:
                position = self._value(position)
        return position

    def _container(self, position: int) -> int:
        """Reads a container that needs no repair, or steps into one that does."""
        if self.attempts:
            try:
                self._lost.clear()
                value, end = self._strict.raw_decode(self.text, position)
            except (ValueError, RecursionError):
                self.attempts -= 1
            else:
                check_depth(value, self.where, MAX_DEPTH - len(self.open))
                if not self.open or _FOLLOWS.match(self.text, end):
                    for members, key in self._lost:
                        self._lose(key, position, members is value and not self.open)
                    self._keep(value)
                    return end
        if len(self.open) >= MAX_DEPTH:
            raise _too_deep(address_in(self.text, position, self.where))
        self.open.append({} if self.text[position] == "{" else [])
        self.keys.append(None)
        self.separated = True
        return position + 1

    def _close(self) -> None:
        self.keys.pop()
        self._keep(self.open.pop())

    def _keep(self, value: Any) -> None:
        """Puts a value into the container it is in; the document itself is in none."""
        if not self.open:
            self.document = value
        elif type(self.open[-1]) is dict:
            members, key = self.open[-1], self.keys[-1]
            if key in members and members[key] != value:
                self._lose(key, self._key_end, len(self.open) == 1)
            members[key] = value
            self.keys[-1] = None
        else:
            self.open[-1].append(value)
        self.separated = False

    def _lose(self, key: str | None, position: int, is_top_level: bool) -> None:
        code = "duplicate-top-level-key" if is_top_level else "duplicate-key"
        self.repair(code, position)
        names = self.lost_keys.setdefault(code, [])
        if key is not None and len(names) < _NAMED_KEYS and key not in names:
            names.append(key)

    def _cut_off(self) -> None:
        """Closes everything open; objects without a complete member are dropped."""
        self.repair("truncated", len(self.text), "the rest of the data")
        while self.open:
            if self.open[-1] or type(self.open[-1]) is list:
                self._close()
            else:
                self.open.pop()
                self.keys.pop()
                self.document = None

    def _punctuation(self, position: int) -> int:
        char = self.text[position]
        inner = self.open[-1]
        if self.keys[-1] is not None:
            self.repair("missing-value", position, "a value")
            self.keys[-1] = None
        elif self.separated and (inner or char == ","):
            self.repair("trailing-comma", position)
        kind = dict if char == "}" else list
        if char == ",":
            self.separated = True
        elif type(inner) is kind:
            self._close()
        elif any(type(outer) is kind for outer in self.open):
            self.repair("missing-bracket", position, "'}'" if type(inner) is dict else "']'")
            self._close()
            return position
        else:
            self.repair("stray-bracket", position, "'}'" if type(inner) is dict else "']'")
        return position + 1

    def _key(self, position: int) -> int:
        char = self.text[position]
        if char == "{" and len(self.open) > 1 and type(self.open[-2]) is list:
            self.repair("missing-bracket", position, "'}'")
            self._close()
            self.separated = True
            return position
        if char == '"':
            if not self.separated:
                self.repair("missing-comma", position, "','")
            key, end = self._string(position, "key")
        else:
            return self._nonsense(position, "a key in quotes" if self.separated else "',' or '}'")
        key = self._known_keys.setdefault(key, key)
        self.keys[-1], self._key_end = key, end
        end = _end(_SPACE, self.text, end)
        char = self.text[end : end + 1]
        if char != ":" and char not in ",}]":
            self.repair("missing-colon", end, "':'")
        return end + (char == ":")

    def _value(self, position: int) -> int:
        char = self.text[position]
        is_object = type(self.open[-1]) is dict
        if not self.separated and not is_object:
            if char == ":":
                return self._nonsense(position, "',' or ']'")
            self.repair("missing-comma", position, "','")
        if char in "{[":
            return self._container(position)
        if char == '"':
            value, end = self._string(position, "member" if is_object else "item")
            if value is not None:
                self._keep(value)
            return end
        if is_object and (number := _COMMA_NUMBER.match(self.text, position)):
            return self._comma_number(number[0], position)
        word = _BARE_VALUE.match(self.text, position)
        if word is None:
            return self._nonsense(position, "a value")
        if word.end() < len(self.text) or word[0] in _WORDS:
            self._keep(self._scalar(word[0], position))
        return word.end()

    def _comma_number(self, text: str, position: int) -> int:
        """``2,508`` of a program in a language that writes numbers so; unknown with several commas."""
        is_decimal, end = text.count(",") == 1, position + len(text)
        if end == len(self.text):  # it may go on
            return end
        self.repair("decimal-comma" if is_decimal else "unreadable-value", position, "a value")
        self._keep(float(text.replace(",", ".")) if is_decimal else None)
        return end

    def _nonsense(self, position: int, expected: str) -> int:
        end = _end(_NONSENSE, self.text, position)
        self.repair("unreadable-text", position, expected, end - position)
        return end

    # ---- values

    def _string(self, position: int, kind: str) -> tuple[str | None, int]:
        """(text, end) of the string whose quote is at ``position``; None if the file ends inside it."""
        text, start = self.text, position + 1
        end = self._mark(kind, start)
        if end == len(text) and (quote := text.find('"', start)) >= 0:
            end = quote
        line = text.find("\n", start, end)
        if line >= 0 and (record := self._mark("line", max(start, line - 1))) < end:
            self.repair("unterminated-string", position, "a closing quote")
            raw = text[start:record].rstrip(" \t\r").removesuffix(",")
            return self._unescaped(raw, position), start + len(raw)
        if end == len(text):
            return None, end
        return self._unescaped(text[start:end], position), end + 1

    def _mark(self, kind: str, start: int) -> int:
        """Position of the next mark; it depends on the text after it alone, so all searches read the text once."""
        searched_from, mark = self._marks[kind]
        if not searched_from <= start <= mark:
            match = _MARKS[kind].search(self.text, start)
            mark = match.start() if match else len(self.text)
            self._marks[kind] = (start, mark)
        return mark

    def _unescaped(self, raw: str, position: int) -> str:
        """What a string means; the repairs it needed are counted."""
        if control := _CONTROL.search(raw):
            count = sum(1 for _ in _CONTROL.finditer(raw))
            self.repair("control-characters", position + 1 + control.start(), count=count)
        bare = {match[0] for match in _ESCAPE.finditer(raw)} & {'"', "\\"}
        if '"' in bare:
            code = "damaged-string" if _MEMBERS.search(raw) else "unescaped-quotes"
            self.repair(code, position, "a string whose quotes are escaped")
        if "\\" in bare:
            self.repair("bad-escape", position)
        if "\\" not in raw:
            return raw
        escaped = _ESCAPE.sub(lambda match: f"\\{match[0]}" if match[0] in bare else match[0], raw)
        value, halves = _SURROGATE.subn("\ufffd", json.loads(f'"{escaped}"', strict=False))
        if halves:
            self.repair("lone-surrogate", position, count=halves)
        return value

    def _scalar(self, word: str, position: int) -> Any:
        if word in _WORDS:
            return _WORDS[word]
        if _TIGHT_NUMBER.fullmatch(word):
            return _number(word)
        if match := _NOT_A_NUMBER.fullmatch(word):
            self.repair("not-a-number", position)
            return float(match["sign"] + "inf") if match["inf"] else nan
        self.repair("unreadable-value", position, "a value")
        return None


def _number(word: str) -> int | float:
    """An int of up to 64 bits, else the nearest float, as the fast parser returns them."""
    if _DIGITS.fullmatch(word) and -(1 << 63) <= (value := int(word)) < 1 << 64:
        return value
    return float(word)


def _refuse(constant: str) -> None:
    """For ``NaN`` and ``Infinity``, which are counted as repairs."""
    raise ValueError(constant)


def _members(lost: list[tuple[dict[str, Any], str]], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of the pairs. lost: gets (object, key) of each value that differs from the last one of its key."""
    members = dict(pairs)
    if len(members) < len(pairs):
        lost += [(members, key) for key, value in pairs if value is not members[key] and value != members[key]]
    return members


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _excerpt(text: str, position: int, chars: int = EXCERPT_CHARS) -> str:
    """At most ``chars`` characters around a position, two thirds of them before it."""
    start = max(0, position - chars * 2 // 3)
    return text[start : start + chars].strip()
