"""Print the JSON Schema of what a command writes with --json.

The schema is JSON Schema 2020-12, generated from the types of ``trex.export.documents.json``.

examples:
  trex schema summary
  trex schema lint -o lint.schema.json
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trex.cli.command import COMMANDS, DONE, Command
from trex.cli.output import DocumentOptions, json_paths, say_written, write_output
from trex.core.errors import TrexError
from trex.core.options import option


def _commands() -> Sequence[str]:
    return COMMANDS.known_names


@dataclass(frozen=True, kw_only=True)
class SchemaOptions(DocumentOptions):
    command: str = option(help="the command", choices=_commands, metavar="COMMAND")


def run(options: SchemaOptions) -> int:
    from trex.export.documents.json import selected
    from trex.export.frame import json_text
    from trex.export.json_schema import schema_of

    if options.format not in ("", "json"):
        raise TrexError("a schema is JSON", "--format json")
    text = json_text(selected(schema_of(options.command), json_paths(options.fields)), indent=1) + "\n"
    say_written(write_output(options.output, text))
    return DONE


COMMAND = Command(SchemaOptions, run, checks_output=False)
