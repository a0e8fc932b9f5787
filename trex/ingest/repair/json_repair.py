"""Damaged JSON text → documents: a tolerant reader that keeps everything it can make sense of, in linear time."""

from __future__ import annotations

import re
from math import inf, nan
from typing import Any

from trex.core.errors import TrexError
from trex.ingest.repair.json_string import StringEnds, mend_surrogates, unescape
from trex.ingest.repair.repairs import Repairs, excerpt
from trex.ingest.repair.whole_values import MAX_DEPTH, WholeValues, depth_of, integer, too_deep
from trex.ingest.text import address_in

__all__ = ["MAX_DEPTH", "depth_of", "repair", "too_deep"]

_SPACE = re.compile(r"[ \t\r\n]*")
_SEPARATORS = re.compile(r"[ \t\r\n,]*")
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
# A bracket counts as the start of a document only if JSON follows it: log lines open with brackets too.
_DOCUMENT = re.compile(
    r'\{\s*(?:"|\}|\Z)'
    rf'|\[\s*(?:["\[\]]|,\s*[{{\["]|\Z|\{{\s*(?:["}}]|\Z)|{_NUMBER}\s*(?:[,\]]|\Z)|(?:true|false|null|-?nan|-?inf)\s*(?:[,\]]|\Z))'
)
# Keys without quotes are JSON's cousins; only at the beginning of a file, for a log's braces look alike.
_BARE_DOCUMENT = re.compile(r"\{\s*[A-Za-z_$][\w$]*\s*:")
_SIMPLE_KEY = re.compile(r'"([^"\\\x00-\x1f]*)"[ \t\r\n]*:')
_BARE_KEY = re.compile(r"[A-Za-z_$][\w$]*(?=[ \t\r\n]*:)")
_BARE_VALUE = re.compile(r'[^\s,\[\]{}":]+')
_NONSENSE = re.compile(r'[^,\[\]{}"]+')
_TIGHT_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_NOT_A_NUMBER = re.compile(r"[-+]?(?:nan(?:\(\w*\))?|1\.#(?:q?nan|ind|snan)\w*)", re.IGNORECASE)
_INFINITE = re.compile(r"([-+]?)(?:inf(?:inity)?|1\.#inf\w*)", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f]")
_CLOSERS = frozenset("]},; \t\r\n")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}


def repair(text: str, where: str = "") -> tuple[list[Any], Repairs]:
    """The documents in a damaged JSON text, and what was mended.

    ``nan`` and infinities become floats. Raises TrexError when nothing can be saved, or when brackets are nested more
    than 128 deep.
    """
    scanner = _Scanner(text, where)
    documents = scanner.documents()
    if not any(documents) and (scanner.repairs or not documents):
        raise scanner.nothing_saved()
    return documents, scanner.repairs


class _Scanner:
    def __init__(self, text: str, where: str) -> None:
        self.original = text
        self.text, halves, first_half = mend_surrogates(text)
        self.where = where
        self.repairs = Repairs(text, where)
        self.ends = StringEnds(self.text)
        self.expected: tuple[int, str] | None = None
        self.whole = WholeValues(self.text, where, self.repairs)
        if halves:
            self.repairs.add("lone-surrogate", first_half, halves)

    # ---- the file

    def documents(self) -> list[Any]:
        text = self.text
        found: list[Any] = []
        position = 0
        while True:
            position = _match_end(_SEPARATORS, text, position)
            if position >= len(text):
                break
            is_first = not found and not self.repairs
            if not _DOCUMENT.match(text, position) and not (is_first and _BARE_DOCUMENT.match(text, position)):
                position = self._skip_to_document(position)
                if position >= len(text):
                    break
            document, position = self._container(position)
            if document is not None:
                found.append(document)
        if len(found) > 1:
            self.repairs.add("several-documents", 0, len(found))
        return found

    def _skip_to_document(self, position: int) -> int:
        text = self.text
        match = _DOCUMENT.search(text, position)
        end = match.start() if match else len(text)
        skipped = text[position:end]
        if self.expected is None:
            if text[position] == "{":
                self._expect(_match_end(_SPACE, text, position + 1), "a key in quotes or '}'")
            else:
                self._expect(position, "'{' or '['")
        code = "surrounding-text" if set(skipped) - _CLOSERS else "stray-bracket"
        self.repairs.add(code, position, len(skipped.strip()) or 1)
        return end

    def nothing_saved(self) -> TrexError:
        position, expected = self.expected or (0, "'{' or '['")
        text = self.original
        hint = "export the file again, and look at the log of the run that wrote it"
        if position >= len(text):
            return TrexError(
                "the file ends before anything in it is complete",
                hint,
                address_in(text, len(text), self.where),
                excerpt(text, len(text)),
            )
        return TrexError(
            f"this is not JSON: expected {expected}, found {text[position]!r}",
            hint,
            address_in(text, position, self.where),
            excerpt(text, position),
        )

    def _mend(self, code: str, position: int, expected: str) -> None:
        self.repairs.add(code, position)
        self._expect(position, expected)

    def _expect(self, position: int, what: str) -> None:
        if self.expected is None:
            self.expected = (position, what)

    # ---- one document

    def _container(self, position: int) -> tuple[Any, int]:
        """The document whose bracket is at ``position``, and where it ends; None when nothing in it was complete."""
        text, repairs = self.text, self.repairs
        value, end = self.whole.at(position, 0)
        if end >= 0:
            return value, end
        stack: list[tuple[Any, str | None]] = []
        current: Any = {} if text[position] == "{" else []
        key: str | None = None
        separated = True  # nothing, or a comma, came before what is next
        comma = -1
        position += 1

        def keep(item: Any) -> None:
            nonlocal key, separated
            if type(current) is dict:
                current[key] = item
                key = None
            else:
                current.append(item)
            separated = False

        def close() -> bool:
            """Hands the innermost container to the one around it; False when it is the document itself."""
            nonlocal current, key
            if not stack:
                return False
            inner = current
            current, key = stack.pop()
            keep(inner)
            return True

        while True:
            position = _match_end(_SPACE, text, position)
            if position >= len(text):
                return self._truncated(stack, current), position
            char = text[position]
            in_object = type(current) is dict
            if char == ",":
                if key is not None:
                    self._mend("missing-value", position, "a value")
                    key = None
                elif separated:
                    repairs.add("trailing-comma", position)
                separated, comma = True, position
                position += 1
            elif char == "}" or char == "]":
                if key is not None:
                    self._mend("missing-value", position, "a value")
                    key = None
                elif separated and current and comma >= 0:
                    repairs.add("trailing-comma", comma)
                if in_object is (char == "}"):
                    position += 1
                    if not close():
                        return current, position
                elif any((type(outer) is dict) is (char == "}") for outer, _ in stack):
                    self._mend("missing-bracket", position, "'}'" if in_object else "']'")
                    close()
                else:
                    self._mend("stray-bracket", position, "'}'" if in_object else "']'")
                    position += 1
            elif in_object and key is None:
                simple = _SIMPLE_KEY.match(text, position) if separated else None
                if simple is not None:
                    key, position = simple[1], simple.end()
                    if key in current:
                        repairs.add("duplicate-key", position)
                    continue
                if char == '"':
                    if not separated:
                        self._mend("missing-comma", position, "','")
                    word, end = self._string(position, "key")
                    if word is None:
                        return self._truncated(stack, current), len(text)
                    key, position = word, end
                elif char == "{" and stack and type(stack[-1][0]) is list:
                    self._mend("missing-bracket", position, "'}'")
                    close()
                    separated = True
                    continue
                elif bare := _BARE_KEY.match(text, position):
                    self._mend("unquoted-key", position, "a key in quotes")
                    key, position = bare[0], bare.end()
                else:
                    position = self._skip_nonsense(position, "a key in quotes" if separated else "',' or '}'")
                    continue
                if key in current:
                    repairs.add("duplicate-key", position)
                position = self._colon(position)
            else:
                if not separated and not in_object:
                    if char == ":":
                        position = self._skip_nonsense(position, "',' or ']'")
                        continue
                    self._mend("missing-comma", position, "','")
                if char == '"':
                    word, end = self._string(position, "member" if in_object else "item")
                    if word is None:
                        return self._truncated(stack, current), len(text)
                    keep(word)
                    position = end
                elif char == "{" or char == "[":
                    value, end = self.whole.at(position, len(stack) + 1)
                    if end >= 0:
                        keep(value)
                        position = end
                        continue
                    if len(stack) + 2 > MAX_DEPTH:
                        raise too_deep(address_in(text, position, self.where))
                    stack.append((current, key))
                    current, key = ({} if char == "{" else []), None
                    separated, comma = True, -1
                    position += 1
                else:
                    match = _BARE_VALUE.match(text, position)
                    if match is None:
                        position = self._skip_nonsense(position, "a value")
                        continue
                    if match.end() == len(text) and match[0] not in _WORDS:
                        return self._truncated(stack, current), len(text)
                    keep(self._scalar(match[0], position))
                    position = match.end()

    def _truncated(self, stack: list[tuple[Any, str | None]], current: Any) -> Any:
        """Closes what is open; objects without one complete member are dropped."""
        self._mend("truncated", len(self.text), "the rest of the data")
        while stack:
            outer, key = stack.pop()
            if current or type(current) is list:
                if type(outer) is dict:
                    outer[key] = current
                else:
                    outer.append(current)
            current = outer
        return current if current or type(current) is list else None

    def _colon(self, position: int) -> int:
        text = self.text
        position = _match_end(_SPACE, text, position)
        if position < len(text):
            if text[position] == ":":
                return position + 1
            if text[position] not in ",}]":
                self._mend("missing-colon", position, "':'")
        return position

    def _skip_nonsense(self, position: int, expected: str) -> int:
        self._expect(position, expected)
        match = _NONSENSE.match(self.text, position)
        end = match.end() if match else position + 1
        self.repairs.add("unreadable-text", position, end - position)
        return end

    # ---- values

    def _string(self, position: int, place: str) -> tuple[str | None, int]:
        """(text, end) of the string whose quote is at ``position``; None when the file ends inside it."""
        start = position + 1
        end, is_closed = self.ends.find(start, place)
        if not is_closed:
            if end >= len(self.text):
                return None, end
            self._mend("unterminated-string", position, "a closing quote")
            raw = self.text[start:end].rstrip(" \t\r")
            end = start + len(raw)
            if raw.endswith(","):
                raw, end = raw[:-1], end - 1
        else:
            raw = self.text[start:end]
            end += 1
        if '"' in raw and _BARE_QUOTE.search(raw):
            self._mend("unescaped-quotes", position, "a string whose quotes are escaped")
        controls = len(_CONTROL.findall(raw))
        if controls:
            self.repairs.add("control-characters", start + _CONTROL.search(raw).start(), controls)  # type: ignore[union-attr]
        said, bad = unescape(raw)
        if bad:
            self.repairs.add("bad-escape", position, bad)
        return said, end

    def _scalar(self, word: str, position: int) -> Any:
        if word in _WORDS:
            return _WORDS[word]
        if _TIGHT_NUMBER.fullmatch(word):
            digits = word.lstrip("+-")
            if digits.isdigit():
                return integer(word)
            return float(word)
        if _NOT_A_NUMBER.fullmatch(word):
            self.repairs.add("not-a-number", position)
            return nan
        if infinite := _INFINITE.fullmatch(word):
            self.repairs.add("not-a-number", position)
            return -inf if infinite[1] == "-" else inf
        self._mend("unreadable-value", position, "a value")
        return None


# A quote that no backslash precedes, or that an even number of them does.
_BARE_QUOTE = re.compile(r'(?<!\\)(?:\\\\)*"')


def _match_end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position
