"""The example engines that come with the package: names to use as example:NAME, no GPU needed.

They are synthetic: generated from public architectures, measured on no device.

examples:
  trex examples
  trex summary example:transformer-fp16
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import option


@dataclass(frozen=True)
class Options:
    json: bool = option(False, "print JSON (schema trex.examples/1)")


def run(options: Options) -> int:
    from trex.cli import console
    from trex.cli.inputs import load_plan
    from trex.export.text_table import table_lines
    from trex.plan.loading import example_addresses
    from trex.views.examples import SCHEMA, examples_table

    table = examples_table((address, load_plan(address)) for address in example_addresses())
    if options.json:
        console.show_json({"schema": SCHEMA, "examples": table.records()})
    else:
        console.show(table_lines(table, console.width()))
    return 0


COMMAND = Command(Options, run)
