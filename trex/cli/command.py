"""Command: one sub-command, its options and what it does."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trex.core.options import REQUIRED, OptionField, option_fields
from trex.core.registry import Registry

if TYPE_CHECKING:
    from trex.views.document import Document

DONE, FINDINGS, USAGE_ERROR, INCONCLUSIVE, INTERRUPTED = 0, 1, 2, 3, 130


@dataclass(frozen=True, slots=True)
class Command:
    """declared: a frozen dataclass made of ``core.options.option`` fields, or what makes it when it is first needed, so
    that ``trex --help`` loads nothing for it. run: gets one of it and returns the document to show, with an exit code
    unless that is 0; the exit code alone if it has written everything itself.
    spelled: turns arguments as people write them into those that are declared. checks_output: the format of the
    document is checked before any work; False for commands whose --output is sometimes a file of another kind.
    exit_codes: as the help lists them.
    """

    declared: type | Callable[[], type]
    run: Callable[[Any], Document | tuple[Document, int] | int]
    spelled: Callable[[list[str]], list[str]] = list
    checks_output: bool = True
    exit_codes: str = "0 done · 1 findings · 2 usage or input error"

    @property
    def options(self) -> type:
        return self.declared if isinstance(self.declared, type) else self.declared()


COMMANDS = Registry("trex.cli.commands", "COMMAND", kind=Command)
GROUPS = {
    "Inspect": ("summary", "layers", "draw", "report"),
    "Diagnose": ("lint", "perf", "qdq", "tactics"),
    "Compare": ("compare", "baseline", "history", "bisect"),
    "Build": ("process", "collector", "sweep", "watch", "cache"),
    "Predict": ("whatif", "explain-build", "validate"),
    "Share": ("serve", "mcp", "skill"),
    "More": ("doctor", "explain", "devices", "rules", "examples", "schema", "store"),
}
"""What people want to do → commands, as ``trex --help`` lists them; a test keeps it complete."""


def add_options(parser: argparse.ArgumentParser, options: type) -> None:
    """Declares every field of an options dataclass as an argument, shared ones under their own headings, last."""
    groups: dict[str, argparse._ActionsContainer] = {"": parser}
    for field in sorted(option_fields(options), key=lambda field: (field.group != "", not field.is_positional)):
        target = groups.get(field.group) or groups.setdefault(field.group, parser.add_argument_group(field.group))
        _add_option(target, field)


def _add_option(parser: argparse._ActionsContainer, field: OptionField) -> None:
    shared = _shared(field)
    if field.is_positional:
        parser.add_argument(field.name, metavar=field.metavar or field.name.upper(), **_how_many(field), **shared)
    elif field.is_switch and field.default:
        words = {**shared, "help": f"{shared['help']} (default: yes)"}
        parser.add_argument(
            *_flags(field), action=argparse.BooleanOptionalAction, dest=field.name, default=True, **words
        )
    elif field.is_switch:
        parser.add_argument(*_flags(field), action="store_true", dest=field.name, **shared)
    else:
        value = field.metavar or (None if field.choices else field.name.upper())
        parser.add_argument(
            *_flags(field),
            dest=field.name,
            default=field.default,
            metavar=value,
            nargs="+" if field.many else None,
            action=_Given,
            **shared,
        )


class _Given(argparse.Action):
    """What is given counts, all of it: values of an option that is given again are added to the earlier ones, and none
    is empty. A condition that is dropped, or an unset variable, would be a gate that checks nothing.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if "" in (values if isinstance(values, list) else [values]):
            raise argparse.ArgumentError(self, "the value is empty")
        if self.nargs == "+":
            earlier = getattr(namespace, self.dest)
            values = [*([] if earlier is self.default else earlier), *values]
        setattr(namespace, self.dest, values)


def _flags(field: OptionField) -> list[str]:
    """Short spelling first, as help texts do."""
    return sorted((field.flag, *field.flags), key=len)


def _how_many(field: OptionField) -> dict[str, Any]:
    if field.default is REQUIRED:
        return {"nargs": "+"} if field.many else {}
    return {"nargs": "*" if field.many else "?", "default": field.default}


def _shared(field: OptionField) -> dict[str, Any]:
    shared: dict[str, Any] = {"help": field.help.replace("%", "%%")}
    if field.choices:
        shared["choices"] = field.choices
    convert = field.convert
    if convert is None and isinstance(field.default, int | float) and not isinstance(field.default, bool):
        convert = type(field.default)
    if convert:
        shared["type"] = _explained(convert)
    return shared


def _explained(convert: Callable[[str], Any]) -> Callable[[str], Any]:
    """The conversion; its error names what it takes, the first clause of its docstring."""

    def converted(text: str) -> Any:
        try:
            return convert(text)
        except ValueError:
            wanted = (convert.__doc__ or convert.__name__).partition(",")[0].lower()
            raise argparse.ArgumentTypeError(f"{text!r} is not {wanted}") from None

    return converted
