"""Options: a frozen dataclass whose fields have their own help; flags, widgets and docs are generated from them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

REQUIRED = object()


def option(
    default: Any = REQUIRED,
    help: str | Callable[[], str] = "",
    *,
    flags: Sequence[str] = (),
    choices: Sequence[str] | Callable[[], Sequence[str]] = (),
    metavar: str = "",
    convert: Any = None,
    many: bool = False,
    positional: bool = False,
    group: str = "",
) -> Any:
    """A dataclass field that is also a command-line flag.

    default: leave it out for a required positional argument; ``positional`` makes one with a default.
    help: text, or a function that returns it when needed.
    flags: other spellings of ``--field-name``, short or classic. choices: the allowed words, or a function that returns
    them when needed. convert: text → value (default: by the type of ``default``); raises ValueError for bad text.
    many: takes several values.
    """
    metadata = {
        "help": help,
        "flags": tuple(flags),
        "choices": choices,
        "metavar": metavar,
        "convert": convert,
        "many": many,
        "positional": positional,
        "group": group,
    }
    if default is REQUIRED:
        return dataclasses.field(metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class OptionField:
    """One declared option, for flags, widgets and docs; see ``option``."""

    name: str
    default: Any
    help: str = ""
    flags: Sequence[str] = ()
    choices: Sequence[str] = ()
    metavar: str = ""
    convert: Any = None
    many: bool = False
    positional: bool = False
    group: str = ""

    @property
    def is_positional(self) -> bool:
        return self.positional or self.default is REQUIRED

    @property
    def is_switch(self) -> bool:
        return isinstance(self.default, bool)

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")


class _LazyNames(Sequence[str]):
    """Names that are looked up at the first use: those of plugs cost 25 ms, and most runs give no such option."""

    def __init__(self, look_up: Callable[[], Sequence[str]]) -> None:
        self._look_up = look_up

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(self._look_up())

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, index: Any) -> Any:
        return self._names[index]


def option_fields(options: type) -> Iterator[OptionField]:
    """The options of a dataclass, in the order of declaration."""
    for field in dataclasses.fields(options):
        default = REQUIRED if field.default is dataclasses.MISSING else field.default
        meta = dict(field.metadata)
        if callable(meta.get("help")):
            meta["help"] = meta["help"]()
        if callable(meta.get("choices")):
            meta["choices"] = _LazyNames(meta["choices"])
        yield OptionField(field.name, default, **meta)


def count(text: str) -> int:
    """A whole number of 0 or more, for options that count. Raises ValueError for anything else."""
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def amount(text: str) -> float:
    """A number of 0 or more, not infinite. Raises ValueError for anything else."""
    number = float(text)
    if not 0 <= number < float("inf"):
        raise ValueError(text)
    return number
