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

Commands that use the run store take its folder from there, too, relative to this file, unless --store or the
environment's TREX_STORE names another:

    [store]                                 # [tool.trex.store] in pyproject.toml
    folder = "perf/store"
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
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
from trex.ingest.toml_reader import TomlReader, parse_toml

NAMES = ("trex.toml", "pyproject.toml")
SEVERITIES = ("note", "warning", "error")
_SECTIONS = ("lint", "compare", "store")
_SETTINGS = ("select", "ignore", "limits", "fail-on")


def find_configuration(folder: str | os.PathLike[str] = ".") -> Path | None:
    """The configuration file of this folder, or of the nearest folder above; None without one."""
    try:
        start = Path(folder).resolve()
    except OSError:  # the working folder was removed
        return None
    for above in (start, *start.parents):
        for name in NAMES:
            file = above / name
            if name != "pyproject.toml" and os.path.lexists(file) and not file.is_file():
                raise TrexError(
                    "this is no file, and its settings would be missed",
                    "remove it, or write a file in its place",
                    str(file),
                )
            if file.is_file() and (name != "pyproject.toml" or _project_tables(parse_toml(file)[0])):
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


def configured_store(path: str | os.PathLike[str]) -> str:
    """The folder of the run store that the file names; "" if it names none. Raises TrexError for an invalid one."""
    reader, table = _section(path, "store")
    reader.only(table, ("folder",), ("store",))
    folder = reader.word(table, "folder", ("store",))
    if "://" in folder:  # the file may be a stranger's, and the connection would be the user's
        raise reader.error("is an address, not a folder", ("store", "folder"), "--store ADDRESS, or TREX_STORE")
    return str(Path(path).parent / folder) if folder else ""


def _section(path: str | os.PathLike[str], name: str) -> tuple[_ConfigReader, Mapping[str, Any]]:
    file = Path(path)
    document, text = parse_toml(file)
    is_project = file.name == "pyproject.toml"
    reader = _ConfigReader(str(path), text, ("tool", "trex") if is_project else ())
    if is_project and not _project_tables(document):
        raise TrexError(
            "there is no [tool.trex] in it", "in pyproject.toml: [tool.trex.lint], [tool.trex.compare]", str(path)
        )
    table = reader.table(document["tool"]["trex"], ()) if is_project else document
    reader.only(table, _SECTIONS, ())
    return reader, reader.table(table.get(name, {}), (name,))


def _project_tables(document: Mapping[str, Any]) -> bool:
    """Whether a pyproject.toml has something for trex."""
    tool = document.get("tool")
    return isinstance(tool, Mapping) and "trex" in tool


@dataclass(frozen=True)
class _ConfigReader(TomlReader):
    """Tables → settings."""

    def lint(self, table: Mapping[str, Any]) -> LintConfiguration:
        self.only(table, (*_SETTINGS, "suppress"), ("lint",))
        suppress = table.get("suppress", [])
        if not isinstance(suppress, list):
            raise self.error("is not a list of tables", ("lint", "suppress"), "write [[lint.suppress]]")
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
        baselines = self.word(table, "baselines", path)
        where = str(folder / baselines) if baselines else ""
        return CompareConfiguration(self._compare_limits(table, path), tuple(engines), where, self.file)

    def _compare_limits(self, table: Mapping[str, Any], path: tuple[str | int, ...]) -> dict[str, Limit]:
        """Metrics and thresholds as written: the gate knows the metrics and checks both."""
        inner = (*path, "limits")
        limits = {}
        for metric, allowed in self.table(table.get("limits", {}), inner).items():
            if allowed is not False and not (isinstance(allowed, str) and allowed.strip()):
                raise self.error("is not a threshold", (*inner, metric), '"+3%" or "+0.1ms"; false switches it off')
            limits[metric] = Limit(metric, allowed.strip() if allowed else "", self.where((*inner, metric)))
        return limits

    def _settings(self, table: Mapping[str, Any], path: tuple[str | int, ...]) -> LintSettings:
        fail_on = self.word(table, "fail-on", path)
        if fail_on and fail_on not in SEVERITIES:
            raise self.error(f"is {fail_on!r}", (*path, "fail-on"), f"one of {', '.join(SEVERITIES)}")
        limits = {
            str(rule): {
                str(limit): self.number(value, (*path, "limits", rule, limit))
                for limit, value in self.table(entry, (*path, "limits", rule)).items()
            }
            for rule, entry in self.table(table.get("limits", {}), (*path, "limits")).items()
        }
        return LintSettings(self.words(table, "select", path), self.words(table, "ignore", path), limits, fail_on)

    def _suppression(self, table: Mapping[str, Any], index: int) -> Suppression:
        path = ("lint", "suppress", index)
        self.only(table, ("rule", "layers", "reason", "expires"), path)
        for key, why in (("rule", "which rule's findings"), ("reason", "why they are left out")):
            if not self.word(table, key, path).strip():
                raise self.error("is missing", (*path, key), f"say {why}: {key} = …")
        layers = self.words(table, "layers", path) or ("*",)
        expires = table.get("expires")
        if expires is not None and type(expires) is not date:
            raise self.error("is not a day", (*path, "expires"), "a day without quotes: expires = 2026-12-31")
        return Suppression(str(table["rule"]), str(table["reason"]).strip(), layers, expires, self.where(path))
