"""The rules of trex lint: code, name, severity, what each finds, and its limits.

trex explain CODE shows one in full.

examples:
  trex rules
  trex rules --json
"""

from __future__ import annotations

from trex.cli.command import Command
from trex.cli.output import OutputOptions
from trex.views.document import Document


def run(options: OutputOptions) -> Document:
    from trex.views.rule_page import rules_document

    return rules_document()


COMMAND = Command(OutputOptions, run)
