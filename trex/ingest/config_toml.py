"""``trex.toml``, or ``[tool.trex]`` of ``pyproject.toml`` → LintConfiguration, CompareConfiguration.

``trex lint``, ``trex report`` and the colors of ``trex draw`` take the nearest ``trex.toml``, or ``pyproject.toml``
with ``[tool.trex]``, from the working directory upwards; ``--config FILE`` names another. Command-line options
override the file. A file per device: --config orin.toml.

    [lint]                                  # [tool.trex.lint] in pyproject.toml
    select = ["CONV*", "REF001"]            # codes, names or globs; without it every rule runs
    ignore = ["names-only"]
    fail-on = "warning"                     # note, warning or error

    [lint.limits.CONV003]                   # the rule's code or name
    padding = 10

    [[lint.suppress]]
    rule = "REF001"                         # a code, a name or a glob
    layers = "*/head/*"                     # a glob, or several; without it all layers
    reason = "the camera delivers NCHW"     # required
    expires = 2026-12-31                    # the last day; afterwards the finding is reported again

A finding whose layers are all suppressed is left out; --show-suppressed lists it. If only some layers are suppressed,
the finding reports the others and says how many are left out: the estimated savings do not include them, but the
numbers in its text do. Layers that a finding only mentions, such as the quantize kernel after a residual add, need no
suppression. A finding about the whole engine is suppressed by a rule without layers.

``trex compare`` and ``trex baseline`` read their own part of the same file:

    [compare]                               # [tool.trex.compare] in pyproject.toml
    baselines = "perf/baselines"            # the folder of trex baseline, relative to this file

    [compare.limits]                        # like --fail-on "latency>+3%" "layer:gemm*>+10%"
    latency = "+3%"                         # a metric of trex compare: in percent or in its unit
    "layer:gemm*" = "+10%"                  # a glob of layer names or types

    [compare.engines."*-int8".limits]       # for new engines with such a name, instead of those above
    latency = "+0.05ms"
    "layer:gemm*" = false                   # switched off

A regression fails if it exceeds the threshold and is significant. --fail-on overrides the file per metric.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from math import isfinite
from pathlib import Path
from typing import Any

from trex.core.configuration import (
    CompareConfiguration,
    Limit,
    LintConfiguration,
    LintSettings,
    Suppression,
)
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.ingest.opening import open_file

NAMES = ("trex.toml", "pyproject.toml")
SEVERITIES = ("note", "warning", "error")
_LARGEST = 1 << 20
_SECTIONS = ("lint", "compare")
_SETTINGS = ("select", "ignore", "limits", "fail-on")
_AT = re.compile(r" \(at line (\d+), column (\d+)\)$")
_HEADER = re.compile(r"\s*\[\[?\s*([^\]\[]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_.-])+?)\s*=""")


def find_configuration(folder: str | os.PathLike[str] = ".") -> Path | None:
    """The configuration file of this folder, or of the nearest folder above; None without one."""
    try:
        start = Path(folder).resolve()
    except OSError:  # the working folder was removed
        return None
    for above in (start, *start.parents):
        for name in NAMES:
            file = above / name
            if file.is_file() and (name != "pyproject.toml" or "trex" in _parsed(file)[0].get("tool", {})):
                return file
    return None


def read_configuration(path: str | os.PathLike[str]) -> LintConfiguration:
    """The lint settings in the file. Raises TrexError with file, line and key for invalid ones."""
    reader, table = _section(path, "lint")
    return reader.lint(table)


def read_compare_configuration(path: str | os.PathLike[str]) -> CompareConfiguration:
    """The settings of comparisons in the file. Raises TrexError with file, line and key for invalid ones."""
    reader, table = _section(path, "compare")
    return reader.compare(table, Path(path).parent)


def _section(path: str | os.PathLike[str], name: str) -> tuple[_ConfigReader, Mapping[str, Any]]:
    file = Path(path)
    document, text = _parsed(file)
    is_project = file.name == "pyproject.toml"
    root = ("tool", "trex") if is_project else ()
    reader = _ConfigReader(str(path), text, root)
    table: Any = document
    for key in root:
        table = table.get(key, {})
    reader.only(table, _SECTIONS, ())
    return reader, reader.table(table.get(name, {}), (name,))


def _parsed(file: Path) -> tuple[dict[str, Any], str]:
    """Raises TrexError for a file that cannot be read or is not TOML."""
    try:
        import tomllib as toml
    except ImportError:  # before Python 3.11
        import tomli as toml
    try:
        with open_file(str(file)) as opened:
            data = opened.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise TrexError("the configuration is larger than 1 MiB", "give another one: --config FILE", str(file))
        text = data.decode("utf-8-sig")
        return toml.loads(text), text
    except OSError as error:
        raise TrexError(f"the configuration cannot be read: {error.strerror}", where=str(file)) from error
    except UnicodeDecodeError as error:
        raise TrexError("the configuration is not UTF-8", "save it as UTF-8", str(file)) from error
    except (toml.TOMLDecodeError, RecursionError) as error:
        at = _AT.search(str(error))
        where = f"{file}:{at[1]}:{at[2]}" if at else str(file)
        message = f"this is not TOML: {_AT.sub('', str(error))}"
        raise TrexError(message, "correct the file: settings are TOML 1.0, each table written once", where) from error


@dataclass(frozen=True)
class _ConfigReader:
    """Tables → settings. A path is the keys of a value; numbers are indexes in a list of tables."""

    file: str
    text: str
    root: tuple[str, ...]

    def lint(self, table: Mapping[str, Any]) -> LintConfiguration:
        self.only(table, (*_SETTINGS, "suppress"), ("lint",))
        suppress = table.get("suppress", [])
        if not isinstance(suppress, list):
            raise self._error("is not a list of tables", ("lint", "suppress"), "write [[lint.suppress]]")
        suppressions = [
            self._suppression(self.table(entry, ("lint", "suppress", index)), index)
            for index, entry in enumerate(suppress)
        ]
        settings = replace(self._settings(table, ("lint",)), suppressions=tuple(suppressions))
        return LintConfiguration(settings, self.file)

    def compare(self, table: Mapping[str, Any], folder: Path) -> CompareConfiguration:
        path = ("compare",)
        self.only(table, ("limits", "engines", "baselines"), path)
        engines = []
        for glob, entry in self.table(table.get("engines", {}), (*path, "engines")).items():
            inner = (*path, "engines", glob)
            section = self.table(entry, inner)
            self.only(section, ("limits",), inner)
            engines.append((str(glob), self._compare_limits(section, inner)))
        baselines = self._word(table, "baselines", path)
        where = str(folder / baselines) if baselines else ""
        return CompareConfiguration(self._compare_limits(table, path), tuple(engines), where, self.file)

    def _compare_limits(self, table: Mapping[str, Any], path: tuple[str | int, ...]) -> dict[str, Limit]:
        """Metrics and thresholds as written: the gate knows the metrics and checks both."""
        inner = (*path, "limits")
        limits = {}
        for metric, allowed in self.table(table.get("limits", {}), inner).items():
            if allowed is not False and not (isinstance(allowed, str) and allowed.strip()):
                raise self._error("is not a threshold", (*inner, metric), '"+3%" or "+0.1ms"; false switches it off')
            limits[metric] = Limit(metric, allowed.strip() if allowed else "", self._where((*inner, metric)))
        return limits

    def _settings(self, table: Mapping[str, Any], path: tuple[str | int, ...]) -> LintSettings:
        fail_on = self._word(table, "fail-on", path)
        if fail_on and fail_on not in SEVERITIES:
            raise self._error(f"is {fail_on!r}", (*path, "fail-on"), f"one of {', '.join(SEVERITIES)}")
        limits = {
            str(rule): {
                str(limit): self._number(value, (*path, "limits", rule, limit))
                for limit, value in self.table(entry, (*path, "limits", rule)).items()
            }
            for rule, entry in self.table(table.get("limits", {}), (*path, "limits")).items()
        }
        return LintSettings(self._words(table, "select", path), self._words(table, "ignore", path), limits, fail_on)

    def _suppression(self, table: Mapping[str, Any], index: int) -> Suppression:
        path = ("lint", "suppress", index)
        self.only(table, ("rule", "layers", "reason", "expires"), path)
        for key, why in (("rule", "which rule's findings"), ("reason", "why they are left out")):
            if not self._word(table, key, path).strip():
                raise self._error("is missing", (*path, key), f"say {why}: {key} = …")
        layers = self._words(table, "layers", path) or ("*",)
        expires = table.get("expires")
        if expires is not None and type(expires) is not date:
            raise self._error("is not a day", (*path, "expires"), "a day without quotes: expires = 2026-12-31")
        return Suppression(str(table["rule"]), str(table["reason"]).strip(), layers, expires, self._where(path))

    def table(self, value: Any, path: tuple[str | int, ...]) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self._error("is not a table", path, f"write [{'.'.join(map(str, (*self.root, *path)))}]")
        return value

    def only(self, table: Mapping[str, Any], known: tuple[str, ...], path: tuple[str | int, ...]) -> None:
        """Refuses unknown keys: most are misspelled."""
        for key in table:
            if key not in known:
                hint = did_you_mean(str(key), known, f"known here: {', '.join(known)}")
                raise self._error("is not known", (*path, key), hint)

    def _word(self, table: Mapping[str, Any], key: str, path: tuple[str | int, ...]) -> str:
        value = table.get(key, "")
        if not isinstance(value, str):
            raise self._error("is not text", (*path, key), f'{key} = "…"')
        return value

    def _words(self, table: Mapping[str, Any], key: str, path: tuple[str | int, ...]) -> tuple[str, ...]:
        value = table.get(key, [])
        words = [value] if isinstance(value, str) else value
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise self._error("is neither text nor a list of texts", (*path, key), f'{key} = ["…"]')
        return tuple(words)

    def _number(self, value: Any, path: tuple[str | int, ...]) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise self._error("is not a number", path)
        return float(value)

    def _error(self, what: str, path: tuple[str | int, ...], hint: str = "") -> TrexError:
        name = ".".join(map(str, (*self.root, *path)))
        return TrexError(f"{name} {what}", hint, self._where(path))

    def _where(self, path: tuple[str | int, ...]) -> str:
        """The file and line of the value, or of the nearest table around it."""
        wanted = (*self.root, *path)
        lines = dict(_lines_of(self.text))
        for end in range(len(wanted), 0, -1):
            if wanted[:end] in lines:
                return f"{self.file}:{lines[wanted[:end]]}"
        return self.file


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
