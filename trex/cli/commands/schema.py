"""Print the JSON Schema of what a command writes with --json.

The schema is JSON Schema 2020-12, generated from the types of ``trex.export.documents.json``.

examples:
  trex schema summary
  trex schema lint > lint.schema.json
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trex.cli.command import COMMANDS, Command
from trex.core.options import option


def _commands() -> Sequence[str]:
    return tuple(name for name in COMMANDS.known_names if name not in WITHOUT)


WITHOUT = ("draw", "collector", "schema")
"""Commands whose output is not a document."""


@dataclass(frozen=True, kw_only=True)
class SchemaOptions:
    command: str = option(help="the command", choices=_commands, metavar="COMMAND")


def run(options: SchemaOptions) -> int:
    from trex.cli import console
    from trex.export.json_schema import schema_of

    console.show_json(schema_of(options.command))
    return 0


COMMAND = Command(SchemaOptions, run)
