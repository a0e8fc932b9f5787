"""Options: a frozen dataclass whose fields carry their own help, so flags, widgets and docs come from one place."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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

    default: leave it out for a positional argument, or say ``positional`` for one that need not be given.
    help: what it is for, or a function that says it when it is needed.
    flags: short or classic spellings beside ``--field-name``. choices: the allowed words, or a function that finds them
    when they are needed. convert: text → value (default: by the type of ``default``); it raises ValueError for what it
    does not take. many: takes several. group: the heading in the help under which commands share it.
    """
    metadata = {
        "help": help,
        "flags": tuple(flags),
        "choices": choices if callable(choices) else tuple(choices),
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
    """One declared option, as its readers (flags, widgets, docs) see it."""

    name: str
    default: Any
    help: str
    flags: tuple[str, ...]
    choices: tuple[str, ...]
    metavar: str
    convert: Any
    many: bool
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


def option_fields(options: type) -> Iterator[OptionField]:
    """The options of a dataclass, in the order of declaration."""
    for field in dataclasses.fields(options):
        meta = field.metadata
        default = REQUIRED if field.default is dataclasses.MISSING else field.default
        yield OptionField(
            name=field.name,
            default=default,
            help=_said(meta.get("help", "")),
            flags=meta.get("flags", ()),
            choices=_words(meta.get("choices", ())),
            metavar=meta.get("metavar", ""),
            convert=meta.get("convert"),
            many=meta.get("many", False),
            positional=meta.get("positional", False),
            group=meta.get("group", ""),
        )


def _said(help: str | Callable[[], str]) -> str:
    return help() if callable(help) else help


def _words(choices: Sequence[str] | Callable[[], Sequence[str]]) -> tuple[str, ...]:
    return tuple(choices() if callable(choices) else choices)


def count(text: str) -> int:
    """A whole number from 0 up, for options that count things. Raises ValueError for anything else."""
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number
