"""Command: one sub-command, its options and what it does."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from trex.core.options import OptionField, option_fields
from trex.core.registry import Registry


@dataclass(frozen=True, slots=True)
class Command:
    """options: a frozen dataclass made of ``core.options.option`` fields. run: gets one and returns the exit code."""

    options: type
    run: Callable[[Any], int]


COMMANDS = Registry("trex.cli.commands", "COMMAND")


def add_options(parser: argparse.ArgumentParser, options: type) -> None:
    """Declares every field of an options dataclass as an argument."""
    for field in option_fields(options):
        if field.is_positional:
            parser.add_argument(field.name, nargs="+" if field.many else None, **_shared(field))
        elif field.is_switch:
            parser.add_argument(field.flag, *field.flags, action="store_true", dest=field.name, help=field.help)
        else:
            many: dict[str, Any] = {"nargs": "*"} if field.many else {}
            parser.add_argument(
                field.flag, *field.flags, dest=field.name, default=field.default, **many, **_shared(field)
            )


def _shared(field: OptionField) -> dict[str, Any]:
    shared: dict[str, Any] = {"help": field.help.replace("%", "%%")}
    if field.choices:
        shared["choices"] = field.choices
    if field.metavar:
        shared["metavar"] = field.metavar
    convert = field.convert or (type(field.default) if isinstance(field.default, int | float) else None)
    if convert:
        shared["type"] = convert
    return shared
