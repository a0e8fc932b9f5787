"""A TOML file → its tables, with the line of every key: for settings that people write, and errors that help them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.ingest.opening import open_file

_LARGEST = 1 << 20
_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\n]*')"""
_TOKEN = re.compile(
    r"""#.*|"{3}[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*(?:"{3,5}|\\?\Z)|'{3}[^']*(?:'(?!'')[^']*)*(?:'{3,5}|\Z)"""
    rf"|{_PART}(?P<more>(?:[ \t]*\.[ \t]*{_PART}){{0,64}})"
)
"""A comment, a text of several lines, or else a name, number or text with its parts after dots."""
_MOST_PARTS, _MOST_DOTS = 64, 100_000
"""A name of n parts takes the parser n² of memory, and 1 KB for each part."""
_NUMBERS = 1 << 63
_AT = re.compile(r" \(at line (\d+), column (\d+)\)$")
_HEADER = re.compile(r"\s*\[\[?([^\]\[]+)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_.-])+?)\s*=""")


def parse_toml(file: Path) -> tuple[dict[str, Any], str]:
    """(tables, text). Raises TrexError for a file that cannot be read or is not TOML."""
    try:
        import tomllib as toml
    except ImportError:  # before Python 3.11
        import tomli as toml
    try:
        with open_file(str(file)) as opened:
            data = opened.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise TrexError("the file is larger than 1 MiB", "is it the right file?", str(file))
        text = data.decode("utf-8-sig")
        _refuse_deep_names(text, file)
        tables = toml.loads(text)
        for value in _values(tables):
            if isinstance(value, str) and "\0" in value:
                raise TrexError("a text has a NUL character, which no name can have", "remove \\u0000", str(file))
            if isinstance(value, int) and not -_NUMBERS <= value < _NUMBERS:
                raise TrexError("a number has more than 64 bits", "write a smaller one", str(file))
        return tables, text
    except OSError as error:
        raise TrexError(f"the file cannot be read: {error.strerror}", where=str(file)) from error
    except UnicodeDecodeError as error:
        raise TrexError("the file is not UTF-8", "save it as UTF-8", str(file)) from error
    except (ValueError, RecursionError) as error:  # ValueError: also of an integer with thousands of digits
        at = _AT.search(str(error))
        where = f"{file}:{at[1]}:{at[2]}" if at else str(file)
        message = f"this is not TOML: {_AT.sub('', str(error))}"
        raise TrexError(message, "correct the file: settings are TOML 1.0, each table written once", where) from error


def _refuse_deep_names(text: str, file: Path) -> None:
    dots = 0
    for token in _TOKEN.finditer(text):
        parts = len(re.findall(_PART, token["more"])) if token["more"] else 0
        dots += parts
        if parts >= _MOST_PARTS or dots > _MOST_DOTS:
            where = f"{file}:{text[: token.start()].count(chr(10)) + 1}"
            if parts >= _MOST_PARTS:
                raise TrexError(f"a name of more than {_MOST_PARTS} parts", "no setting has one", where)
            raise TrexError(f"more than {_MOST_DOTS:,} dots in names and numbers", "is it the right file?", where)


def _values(value: Any) -> Iterator[Any]:
    """Every key and every value that is no table or list."""
    if isinstance(value, dict | list):
        parts = (*value, *value.values()) if isinstance(value, dict) else value
        for part in parts:
            yield from _values(part)
    else:
        yield value


@dataclass(frozen=True)
class TomlReader:
    """Typed values of tables. A path is the keys of a value; numbers are indexes in a list of tables.

    root: the keys above all paths, as in ``[tool.trex]``. Every method raises TrexError with file, line and key.
    """

    file: str
    text: str
    root: tuple[str, ...] = ()

    def table(self, value: Any, path: tuple[str | int, ...]) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self.error("is not a table", path, f"write [{'.'.join(map(str, (*self.root, *path)))}]")
        return value

    def only(self, table: Mapping[str, Any], known: tuple[str, ...], path: tuple[str | int, ...]) -> None:
        """Refuses unknown keys: most are misspelled."""
        for key in table:
            if key not in known:
                hint = did_you_mean(str(key), known, f"known here: {', '.join(known)}")
                raise self.error("is not known", (*path, key), hint)

    def word(self, table: Mapping[str, Any], key: str, path: tuple[str | int, ...]) -> str:
        value = table.get(key, "")
        if not isinstance(value, str):
            raise self.error("is not text", (*path, key), f'{key} = "…"')
        return value

    def words(self, table: Mapping[str, Any], key: str, path: tuple[str | int, ...]) -> tuple[str, ...]:
        value = table.get(key, [])
        words = [value] if isinstance(value, str) else value
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise self.error("is neither text nor a list of texts", (*path, key), f'{key} = ["…"]')
        return tuple(words)

    def number(self, value: Any, path: tuple[str | int, ...]) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise self.error("is not a number", path)
        return float(value)

    def error(self, what: str, path: tuple[str | int, ...], hint: str = "") -> TrexError:
        name = ".".join(map(str, (*self.root, *path)))
        return TrexError(f"{name} {what}", hint, self.where(path))

    def where(self, path: tuple[str | int, ...]) -> str:
        """The file and line of the value, or of the nearest table around it."""
        wanted = (*self.root, *path)
        lines = _lines(self.text)
        for end in range(len(wanted), 0, -1):
            if wanted[:end] in lines:
                return f"{self.file}:{lines[wanted[:end]]}"
        return self.file


@lru_cache(maxsize=4)
def _lines(text: str) -> Mapping[tuple[str | int, ...], int]:
    """Kept, since every table asks for its line."""
    return dict(_lines_of(text))


def _lines_of(text: str) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """(path, line) of every table and key on a line of its own; inline tables are not read."""
    at: tuple[str | int, ...] = ()
    counts: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        if header:
            keys = _keys(header[1])
            at = keys
            if line.lstrip().startswith("[["):
                index = counts[keys] = counts.get(keys, -1) + 1
                at = (*keys, index)
            yield at, number
        elif key := _KEY.match(line):
            yield (*at, *_keys(key[1])), number


def _keys(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.\s]+", dotted))
