"""The rules of trex lint: code, name, severity, what each finds, and its limits.

trex explain CODE shows one in full.

examples:
  trex rules
  trex rules --json
"""

from __future__ import annotations

from trex.cli.command import Command
from trex.cli.output import OutputOptions


def run(options: OutputOptions) -> int:
    from trex.cli.output import check_output, show_document
    from trex.views.rule_page import rules_document

    check_output(options, "rules")
    show_document(rules_document(), options)
    return 0


COMMAND = Command(OutputOptions, run)
