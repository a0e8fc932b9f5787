"""``sweep.toml`` → SweepSpec.

name = "nightly"                     # default: the file's name
store = "runs"                       # the store's folder; --store overrides it
repetitions = 3
time-limit = "30 min"                # of a job: s, min or h
retries = 1                          # a failed job is repeated at once
quarantine = 3                       # after so many failures a job is left out; 0: never

[axes]
model = ["models/*.onnx", "example:resnet18"]
batch = [1, 8, 32]
precision = ["fp16", "int8+fp16"]
backend = ["trtexec", "simulated"]
gpu = ["A100", "T4"]

[[exclude]]                          # combinations that are left out; globs work
backend = "trtexec"
gpu = "T4"

[[set]]                              # options for some combinations, as of `trex process`
when = { model = "*bert*" }
args = ["shapes=ids:{batch}x128"]    # trtexec's
iterations = 100

[resources]
gpu = "A100"                         # for sweeps without an axis gpu
exclusive = true                     # one job at a time on a GPU
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.ingest.toml_reader import TomlReader, parse_toml
from trex.sweep.spec import AXES, AxisSelector, Resources, Setting, SweepSpec, check_axis, check_value

_SET_BY_SWEEP = frozenset(
    (
        "model", "outdir", "trtexec_args", "build_engine", "profile_engine", "draw_engine", "print_only", "force",
        "archive", "report", "backend", "device", "target", "as_release", "dev", "record_tactics",
    )
)  # fmt: skip
_KEYS = ("name", "store", "repetitions", "time-limit", "retries", "quarantine", "axes", "exclude", "set", "resources")
_SECONDS = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*(s|min|h|)", re.ASCII)

KeyPath = tuple[str | int, ...]


def read_spec(path: str) -> SweepSpec:
    """Raises TrexError with file, line and key for what is missing, unknown or contradictory."""
    file = Path(path)
    tables, text = parse_toml(file)
    return _SpecReader(path, text).spec(tables, file)


def time_limit(text: str) -> float:
    """A time such as 90 s, 30 min or 2 h, in seconds. Raises ValueError for anything else."""
    match = _DURATION.fullmatch(text.strip())
    if match is None or not float(match[1]):
        raise ValueError(text)
    return float(match[1]) * _SECONDS[match[2]]


@cache
def setting_flags() -> Mapping[str, Any]:
    """{option of `trex process` that a setting may give, with dashes: its field}."""
    from trex.capture.options import CaptureOptions
    from trex.core.options import option_fields

    fields = (item for item in option_fields(CaptureOptions) if item.name not in _SET_BY_SWEEP)
    return {item.flag.removeprefix("--"): item for item in fields}


class _SpecReader(TomlReader):
    def spec(self, tables: Mapping[str, Any], file: Path) -> SweepSpec:
        self.only(tables, _KEYS, ())
        axes = self.table(tables.get("axes", {}), ("axes",))
        if not axes.get("model"):
            raise self.error("has no model", ("axes",), 'name what to build: model = ["resnet18.onnx"]')
        limit = self.word(tables, "time-limit", ())
        try:
            time_limit_s = time_limit(limit) if limit else None
        except ValueError:
            raise self.error("is not a time", ("time-limit",), '"90 s", "30 min" or "2 h"') from None
        resources = self.table(tables.get("resources", {}), ("resources",))
        self.only(resources, ("gpu", "exclusive"), ("resources",))
        return SweepSpec(
            name=self.word(tables, "name", ()) or file.stem,
            axes={axis: self._values(axis, axes[axis]) for axis in axes},
            exclude=tuple(self._selectors(tables.get("exclude", []), "exclude")),
            settings=tuple(self._settings(tables.get("set", []))),
            resources=Resources(
                self.word(resources, "gpu", ("resources",)), self._switch(resources, "exclusive", ("resources",))
            ),
            repetitions=self._count(tables, "repetitions", 1, least=1),
            time_limit_s=time_limit_s,
            retries=self._count(tables, "retries", 0),
            quarantine=self._count(tables, "quarantine", 3),
            store=self.word(tables, "store", ()),
            folder=str(file.parent),
            file=self.file,
        )

    def _values(self, axis: str, value: Any) -> tuple[str, ...]:
        path = ("axes", axis)
        check_axis(axis, self.where(path))
        values = _texts(value if isinstance(value, list) else [value])
        if values is None:
            raise self.error("is neither a value nor a list of values", path, f"{axis}: {AXES[axis]}")
        if not values:
            raise self.error("has no values, so there is nothing to run", path, "leave the axis out")
        where, counts = self.where(path), Counter(values)
        for text in values:
            check_value(axis, text, where)
        twice = next((text for text in values if counts[text] > 1), None)
        if twice is not None:
            raise self.error(f"has {twice!r} twice", path, "repetitions = 2 repeats every job")
        return values

    def _selectors(self, value: Any, key: str) -> Iterator[AxisSelector]:
        for index, table in enumerate(self._tables(value, key)):
            yield self._selector(table, (key, index))

    def _selector(self, value: Any, path: KeyPath) -> AxisSelector:
        table = self.table(value, path)
        if not table:
            raise self.error("names no axis", path, 'such as backend = "simulated"')
        patterns = {}
        for axis, given in table.items():
            check_axis(axis, self.where((*path, axis)))
            texts = _texts(given if isinstance(given, list) else [given])
            if not texts:
                raise self.error("is neither a value nor a list of values", (*path, axis))
            patterns[axis] = texts
        return AxisSelector(patterns, self.where(path))

    def _settings(self, value: Any) -> Iterator[Setting]:
        for index, table in enumerate(self._tables(value, "set")):
            path: KeyPath = ("set", index)
            known = setting_flags()
            self.only(table, ("when", "args", *known), path)
            flags = {
                key: self._flag(known[key], table[key], (*path, key)) for key in table if key not in ("when", "args")
            }
            selector = (
                self._selector(table["when"], (*path, "when"))
                if "when" in table
                else AxisSelector({}, self.where(path))
            )
            yield Setting(selector, self.words(table, "args", path), flags)

    def _flag(self, option: Any, value: Any, path: KeyPath) -> str:
        """As on the command line; "" for a switch."""
        if option.is_switch:
            if value is not True:
                raise self.error("is a switch", path, f"{path[-1]} = true, or leave it out")
            return ""
        texts = _texts([value])
        try:
            convert = option.convert or type(option.default)
            return str(convert(texts[0] if texts else ""))
        except ValueError:
            raise self.error(f"can't be {value!r}", path, option.help) from None

    def _tables(self, value: Any, key: str) -> Sequence[Mapping[str, Any]]:
        if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
            raise self.error("is not a list of tables", (key,), f"write [[{key}]]")
        return value

    def _switch(self, table: Mapping[str, Any], key: str, path: KeyPath) -> bool:
        value = table.get(key, True)
        if not isinstance(value, bool):
            raise self.error("is neither true nor false", (*path, key))
        return value

    def _count(self, table: Mapping[str, Any], key: str, default: int, least: int = 0) -> int:
        value = table.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise self.error(f"is not a whole number of {least} or more", (key,))
        return value


def _texts(values: list[Any]) -> tuple[str, ...] | None:
    """None if one is neither text nor a whole number."""
    if any(isinstance(value, bool) or not isinstance(value, str | int | float) for value in values):
        return None
    return tuple(
        value if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)
        for value in values
    )


def spec_of_flags(axes: Mapping[str, Sequence[str]], **others: Any) -> SweepSpec:
    """A sweep of the command line. Raises TrexError for a value that its axis can't have, and without a model."""
    given = {axis: tuple(dict.fromkeys(values)) for axis, values in axes.items() if values}
    if "model" not in given:
        raise TrexError("no sweep is named", "trex sweep sweep.toml, or trex sweep --model resnet18.onnx …")
    for axis, values in given.items():
        for value in values:
            check_value(axis, value)
    return SweepSpec(axes=given, **others)
