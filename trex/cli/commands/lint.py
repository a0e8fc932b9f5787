"""What slows an engine down, what fixing it saves, and how: findings by estimated savings, with evidence and fixes.

PATH is any one of the engine's files, their common stem, a folder, a .tea archive, or example:NAME. Savings are upper
bounds; the time of a layer counts once, for the finding with the largest savings and confidence. Similar findings are
folded into one with the sum of their savings; --all lists each, as JSON, SARIF, JUnit, CSV and GitHub's annotations
always do. trex rules lists the rules, trex explain CODE describes one.

Settings come from trex.toml, or [tool.trex] of pyproject.toml, in the working directory or above it: selected and
ignored rules, limits, presets for devices, and suppressions with a reason and an expiry date. Options add to them. Exit
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
from typing import TYPE_CHECKING

from trex.cli.command import Command
from trex.core.options import count, option

if TYPE_CHECKING:
    from trex.core.configuration import Suppression

SEVERITIES = ("note", "warning", "error")


def _formats() -> Sequence[str]:
    from trex.export.review import FORMATS

    return FORMATS.known_names


@dataclass(frozen=True)
class Options:
    path: str = option(help="any file of the engine, a stem, a folder, a .tea archive, or example:NAME")
    select: tuple[str, ...] = option((), "only these rules: codes, names or globs", metavar="RULE", many=True)
    ignore: tuple[str, ...] = option((), "not these rules", metavar="RULE", many=True)
    limit: tuple[str, ...] = option(
        (), "set a limit of a rule: CONV003.padding=10", metavar="RULE.NAME=NUMBER", many=True
    )
    suppress: tuple[str, ...] = option(
        (), "suppress a rule's findings, or only those at matching layers", metavar="RULE[=LAYERS]", many=True
    )
    baseline: str = option("", "another engine of the same model to compare with", metavar="PATH")
    device: str = option("", "the GPU, by name, or a file of trex devices (default: as reported)", metavar="NAME")
    onnx: str = option("", "the ONNX model the engine was built from", metavar="FILE")
    config: str = option("", "settings (default: the nearest trex.toml or pyproject.toml)", metavar="FILE")
    top: int = option(10, "how many findings to show in full", flags=("-n",), metavar="N", convert=count)
    explain: bool = option(False, "show how savings are computed and why the rules matter", flags=("-e",))
    all: bool = option(False, "show every finding: do not fold similar ones or cut tables")
    show_suppressed: bool = option(False, "list suppressed findings with the reasons")
    fail_on: str = option(
        "",
        "exit with 1 for findings of this severity or above (default: error)",
        choices=SEVERITIES,
        metavar="SEVERITY",
    )
    format: str = option("", "output format (default: by the ending, else text)", flags=("-f",), choices=_formats)
    output: str = option("", "write to this file; its ending chooses the format", flags=("-o",), metavar="FILE")
    json: bool = option(False, "print JSON (schema trex.lint/1)")
    profiling_json: str = option(
        "",
        "the layer profile, if it is not next to the graph",
        flags=("-pj", "--profiling_json"),
        metavar="FILE",
    )
    profile_id: int = option(-1, "optimization profile to look at (default: the first)", metavar="N", convert=count)


def run(options: Options) -> int:
    from trex.cli import console
    from trex.cli.inputs import load_plan
    from trex.cli.main import DONE, FINDINGS
    from trex.cli.settings import lint_settings
    from trex.core.configuration import LintSettings
    from trex.export.review import FORMATS, ReviewStyle, format_of, write_review
    from trex.export.reviews.text import review_lines
    from trex.perf.performance import Performance
    from trex.perf.recognize import find_device
    from trex.rules.finding import Severity
    from trex.rules.lint import lint

    format = options.format or ("json" if options.json else "")
    if options.output and not format:
        format_of(options.output)  # a wrong ending is reported before any work
    configuration = lint_settings(options.config)
    settings = LintSettings(
        _words(options.select),
        _words(options.ignore),
        _limits(options.limit),
        options.fail_on,
        _suppressions(options.suppress),
    )
    device = find_device(options.device) if options.device else None
    plan = load_plan(options.path, options.profiling_json, options.profile_id, options.onnx)
    baseline = load_plan(options.baseline) if options.baseline else None
    with console.patience("linting"):
        result = lint(Performance(plan, device), settings, configuration, baseline)
    fail_on = Severity[(result.settings.fail_on or "error").upper()]
    style = ReviewStyle(options.top, options.explain, options.show_suppressed, fail_on, options.all)
    if options.output:
        console.say(str(write_review(result, options.output, style, format)))
    elif format and format != "text":
        console.write(FORMATS.chosen(format).value.render(result, style))
    else:
        console.show(review_lines(result, style, console.width()))
    console.warn(plan.notes)
    return FINDINGS if any(finding.severity >= fail_on for finding in result.findings) else DONE


def _words(given: Sequence[str]) -> tuple[str, ...]:
    """Codes as ``A B`` or as ``A,B``."""
    return tuple(word for text in given for word in text.split(",") if word)


def _suppressions(given: Sequence[str]) -> tuple[Suppression, ...]:
    """``RULE``, or ``RULE=LAYERS``: a code, a name or a glob, and a glob of layers' names."""
    from trex.core.configuration import Suppression

    split = (text.partition("=") for text in given)
    return tuple(
        Suppression(rule, "on the command line", (layers or "*",), where="--suppress") for rule, _, layers in split
    )


def _limits(given: Sequence[str]) -> dict[str, dict[str, float]]:
    """{rule: {limit: number}}. Raises TrexError for what is not ``RULE.NAME=NUMBER``."""
    from math import isfinite

    from trex.core.errors import TrexError

    limits: dict[str, dict[str, float]] = {}
    for text in given:
        address, _, number = text.partition("=")
        rule, _, name = address.partition(".")
        try:
            value = float(number)
        except ValueError:
            value = float("nan")
        if not rule or not name or not isfinite(value):
            raise TrexError(f"--limit {text!r} sets nothing", "RULE.NAME=NUMBER, as in CONV003.padding=10")
        limits.setdefault(rule, {})[name] = value
    return limits


COMMAND = Command(Options, run)
