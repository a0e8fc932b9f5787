"""Options of a command with actions: an error for one that the action would ignore."""

from __future__ import annotations

from collections.abc import Collection

from trex.cli.output import OutputOptions
from trex.core.errors import TrexError
from trex.core.options import option_fields

_ALWAYS = {"action", "spec", "arguments", "paths", "store", *(item.name for item in option_fields(OutputOptions))}


def check_options(options: OutputOptions, command: str, action: str, used: Collection[str]) -> None:
    """used: names of the options that the action has. Raises TrexError for any other that is given: a condition that
    nothing judges, or ``--dry-run`` where something is removed.
    """
    for item in option_fields(type(options)):
        if item.name not in _ALWAYS and item.name not in used and getattr(options, item.name) != item.default:
            hint = f"trex {command} --help says which options are for what"
            raise TrexError(f"{item.flag} means nothing to trex {command} {action}", hint)
