"""The rules of trex lint: code, name, severity, what each finds, and its limits.

trex explain CODE shows one in full; docs/rules.md has all of them.

examples:
  trex rules
  trex rules --json
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import option


@dataclass(frozen=True)
class Options:
    json: bool = option(False, "print JSON (schema trex.rules/1)")


def run(options: Options) -> int:
    from trex.cli import console
    from trex.core.note import Note
    from trex.export.text_table import table_lines
    from trex.rules.rule import RULES
    from trex.views.rule_page import SCHEMA, rule_dict, rules_in_order, rules_table

    if options.json:
        console.show_json({"schema": SCHEMA, "rules": [rule_dict(plug) for plug in rules_in_order()]})
    else:
        console.show(table_lines(rules_table(), console.width()))
    console.tell(
        Note("broken-rule", f"the rule {broken.name} cannot be loaded: {broken.reason}", severity="problem")
        for broken in RULES.broken
    )
    return 0


COMMAND = Command(Options, run)
