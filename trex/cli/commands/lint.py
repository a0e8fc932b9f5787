"""What slows an engine down, what fixing it saves, and how: findings by estimated savings, with evidence and fixes.

PATH is any one of the engine's files, their common stem, a folder, a .tea archive, or example:NAME. Findings come by
likely savings, with the most they can save; the time of a layer counts once. Savings are in GPU compute time if it was
measured, else in layer time. Similar findings are folded into one with the sum of their savings, and minor ones (below
1 % of the time, or notes without savings) are only counted; --all lists each, as JSON, SARIF, JUnit, CSV and GitHub's
annotations always do. trex rules lists the rules, trex explain CODE describes one. Experimental rules run only if
--select names them.

Settings come from trex.toml, or [tool.trex] of pyproject.toml, in the working directory or above it: selected and
ignored rules, limits, and suppressions with a reason and an expiry date. Options add to them. Exit
code 1 if there are findings at or above --fail-on.

examples:
  trex lint example:resnet18-int8
  trex lint out/ --explain --top 3
  trex lint out/ --select "QDQ*" "PREC*"
  trex lint out/ --suppress "REF*=*/head/*"
  trex lint out/ --baseline before/
  trex lint out/ --fail-on warning --format github
  trex lint out/ -o findings.sarif
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from trex.cli import console
from trex.cli.command import DONE, FINDINGS, Command
from trex.cli.inputs import DEVICE_HELP, EngineOptions, load_plan, named_device, plan_of
from trex.cli.output import OutputOptions
from trex.cli.settings import CONFIG_HELP, lint_settings
from trex.core.configuration import LintSettings, Suppression
from trex.core.errors import TrexError
from trex.core.options import count, option
from trex.views.document import Document

SEVERITIES = ("note", "warning", "error")


@dataclass(frozen=True, kw_only=True)
class LintOptions(OutputOptions, EngineOptions):
    select: tuple[str, ...] = option((), "only these rules: codes, names or globs", metavar="RULE", many=True)
    ignore: tuple[str, ...] = option((), "not these rules", metavar="RULE", many=True)
    rule_limit: tuple[str, ...] = option(
        (), "set a limit of a rule: CONV003.padding=10", metavar="RULE.NAME=NUMBER", many=True
    )
    suppress: tuple[str, ...] = option(
        (), "suppress a rule's findings, or only those at matching layers", metavar="RULE[=LAYERS]", many=True
    )
    baseline: str = option("", "suppress what this engine of the same model has too", metavar="PATH")
    device: str = option("", DEVICE_HELP, metavar="NAME")
    onnx: str = option("", "the ONNX model the engine was built from", metavar="FILE")
    config: str = option("", CONFIG_HELP, metavar="FILE")
    top: int = option(5, "how many findings to show in full", flags=("-n",), metavar="N", convert=count)
    explain: bool = option(False, "show how savings are computed and why the rules matter", flags=("-e",))
    all: bool = option(False, "show every finding: do not fold similar or small ones")
    show_suppressed: bool = option(False, "list suppressed findings with the reasons")
    fail_on: str = option(
        "",
        "exit with 1 for findings of this severity or above (default: error)",
        choices=SEVERITIES,
        metavar="SEVERITY",
    )


def run(options: LintOptions) -> tuple[Document, int]:
    from trex.perf.performance import Performance
    from trex.rules.finding import Severity
    from trex.rules.lint import lint
    from trex.views.lint import lint_document

    configuration = lint_settings(options.config)
    settings = LintSettings(
        _words(options.select),
        _words(options.ignore),
        _limits(options.rule_limit),
        options.fail_on,
        _suppressions(options.suppress),
    )
    device = named_device(options.device)
    plan = plan_of(options, options.onnx)
    baseline = Performance(load_plan(options.baseline), device) if options.baseline else None
    with console.patience("linting"):
        result = lint(Performance(plan, device), settings, configuration, baseline)
    document = lint_document(
        result,
        options.top,
        explain=options.explain or options.verbose,
        shows_all=options.all,
        shows_suppressed=options.show_suppressed,
    )
    fail_on = Severity[(result.settings.fail_on or "error").upper()]
    return document, FINDINGS if any(finding.severity >= fail_on for finding in result.findings) else DONE


def _words(given: Sequence[str]) -> tuple[str, ...]:
    """Codes as ``A B`` or as ``A,B``."""
    return tuple(word for text in given for word in text.split(",") if word)


def _suppressions(given: Sequence[str]) -> tuple[Suppression, ...]:
    """``RULE``, or ``RULE=LAYERS``: a code, a name or a glob, and a glob of layers' names."""
    split = (text.partition("=") for text in given)
    return tuple(
        Suppression(rule, "on the command line", (layers or "*",), where="--suppress") for rule, _, layers in split
    )


def _limits(given: Sequence[str]) -> dict[str, dict[str, float]]:
    """{rule: {limit: number}}. Raises TrexError for what is not ``RULE.NAME=NUMBER``."""
    limits: dict[str, dict[str, float]] = {}
    for text in given:
        address, _, number = text.partition("=")
        rule, _, name = address.partition(".")
        try:
            value = float(number)
        except ValueError:
            value = float("nan")
        if not rule or not name or not isfinite(value):
            raise TrexError(f"--rule-limit {text!r} sets nothing", "RULE.NAME=NUMBER, as in CONV003.padding=10")
        limits.setdefault(rule, {})[name] = value
    return limits


COMMAND = Command(LintOptions, run)
