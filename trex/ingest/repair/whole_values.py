"""Stretches of a damaged JSON text that are valid as they stand → values, read by the fast parser."""

from __future__ import annotations

import gc
import json
import re
from math import inf, nan
from typing import Any

from trex.core.errors import TrexError
from trex.ingest.repair.repairs import Repairs
from trex.ingest.text import address_in

MAX_DEPTH = 128

_FIRST_WINDOW, _LAST_WINDOW = 4096, 4096 * 8**3
# A token cut by the end of a window is at most this long, strings aside.
_CUT_TOKEN = 400
_INT64_DIGITS = 18
_LONG_INTEGER = re.compile(r"[0-9]{19}")
_FOLLOWS_VALUE = re.compile(r'[ \t\r\n]*(?:[,\]}\[{"]|\Z)')
_CONSTANTS = re.compile(r"NaN|-?Infinity")
_STRING_MARKS = re.compile(r'"|\\.|[\x00-\x1f]', re.DOTALL)


def too_deep(where: str) -> TrexError:
    return TrexError(
        f"brackets are nested more than {MAX_DEPTH} deep, which no file of TensorRT is",
        "make sure this is the file you meant",
        where,
    )


def depth_of(document: Any, limit: int = MAX_DEPTH) -> int:
    """How deep lists and objects are nested, 0 for a plain value; stops counting above ``limit``."""
    depth = 0
    level = [document] if isinstance(document, (list, dict)) else []
    while level and depth <= limit:
        depth += 1
        level = [child for child in gc.get_referents(*level) if isinstance(child, (list, dict))]
    return depth


class WholeValues:
    """Reads containers of one text at a stroke where they are valid.

    What is read in vain is bounded by a multiple of the text's length, so that everything stays linear.
    """

    def __init__(self, text: str, where: str, repairs: Repairs) -> None:
        self.text = text
        self.where = where
        self.repairs = repairs
        self._effort = 8 * len(text) + (1 << 20)
        self._constants = _Constants()
        self._strict = self._decoder(strict=True).raw_decode
        self._relaxed = self._decoder(strict=False).raw_decode

    def at(self, position: int, depth: int) -> tuple[Any, int]:
        """(value, end) of a container that is valid JSON as it stands, raw control characters aside; end −1 if not."""
        relaxed = False
        size = _FIRST_WINDOW
        while self._effort > 0:
            # A window, because an error counts the line breaks in all the text before it.
            window = self.text[position : position + size]
            self._effort -= 64 + len(window) // 16
            self._constants.count = 0
            try:
                value, end = (self._relaxed if relaxed else self._strict)(window, 0)
            except json.JSONDecodeError as error:
                self._effort -= error.pos
                if not relaxed and error.msg.startswith("Invalid control character"):
                    relaxed = True
                elif size < min(_LAST_WINDOW, len(self.text) - position) and (
                    error.pos > size - _CUT_TOKEN or error.msg.startswith("Unterminated string")
                ):
                    size *= 8
                else:
                    return None, -1
                continue
            except RecursionError:
                self._effort -= 4096
                return None, -1
            return self._accepted(value, position, position + end, depth, relaxed)
        return None, -1

    def _accepted(self, value: Any, position: int, end: int, depth: int, relaxed: bool) -> tuple[Any, int]:
        text = self.text
        if depth and _FOLLOWS_VALUE.match(text, end) is None:
            self._effort -= end - position
            return None, -1
        if depth + depth_of(value) > MAX_DEPTH:
            raise too_deep(address_in(text, position, self.where))
        if self._constants.count:
            first = _CONSTANTS.search(text, position)
            self.repairs.add("not-a-number", first.start() if first else position, self._constants.count)
        if relaxed:
            self._count_controls(position, end)
        return value, end

    def _count_controls(self, position: int, end: int) -> None:
        """Counts the control characters inside the strings of a value that is otherwise valid."""
        inside = False
        count, first = 0, position
        for match in _STRING_MARKS.finditer(self.text, position, end):
            found = match[0]
            if found == '"':
                inside = not inside
            elif inside and found[-1] < " ":
                first = first if count else match.start()
                count += 1
        self.repairs.add("control-characters", first, max(count, 1))

    def _decoder(self, strict: bool) -> json.JSONDecoder:
        read = integer if _LONG_INTEGER.search(self.text) else int
        return json.JSONDecoder(strict=strict, parse_int=read, parse_constant=self._constants)


class _Constants:
    """Reads and counts what JSON has no numbers for. Apart from its user, whom a method would keep in a cycle."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, name: str) -> float:
        self.count += 1
        return {"Infinity": inf, "-Infinity": -inf}.get(name, nan)


def integer(digits: str) -> int | float:
    """An int of up to 64 bits, else the nearest float, as the fast parser gives them."""
    if len(digits) <= _INT64_DIGITS:
        return int(digits)
    if len(digits) <= _INT64_DIGITS + 3:
        value = int(digits)
        if -(1 << 63) <= value < 1 << 64:
            return value
    return float(digits)
