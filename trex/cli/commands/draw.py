"""The engine graph as a picture (SVG), a page to move about in (HTML) or data (JSON, GraphML, Model Explorer …).

The ending of the file decides on the format. Without --output it goes into the current folder, as ENGINE.svg, and
replaces nothing but an SVG picture that trex has drawn; - is standard output. The page works offline: pan, zoom,
search, facts of every layer, a table, colors by choice.

examples:
  trex draw out/
  trex draw example:resnet18-int8 --output resnet18.svg
  trex draw example:resnet18-int8 --output resnet18.html
  trex draw example:transformer-fp16 --fold --color-by latency
  trex draw example:resnet18-int8 --group-by module --open-depth 1
  trex draw out/ --beam conv1,2
  trex draw out/ --query 'Reformat|Shuffle' -o copies.svg
  trex draw after/ --baseline before/ --color-by change
  trex draw out/ -o engine.model-explorer.json
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trex.cli import console
from trex.cli.command import DONE, Command
from trex.cli.inputs import DEVICE_HELP, EngineOptions, load_plan, named_device, plan_of
from trex.cli.output import STDOUT, DocumentOptions, say_written, show_document
from trex.cli.settings import CONFIG_HELP, lint_settings
from trex.core.errors import TrexError
from trex.core.options import count, option
from trex.core.printable import shell_word
from trex.views.document import Document, Fact, Facts, Section, folder_of

if TYPE_CHECKING:
    from trex.core.note import Note
    from trex.rules.plan_lint import PlanLint

_CHANGE = "change"


def _formats() -> Sequence[str]:
    from trex.export.diagram import FORMATS

    return FORMATS.known_names


@dataclass(frozen=True, kw_only=True)
class _Options(EngineOptions):
    output: str = option(
        "", "file to write (default: the engine's name with .svg, here)", flags=("-o",), metavar="FILE"
    )
    output_format: str = option(
        "",
        "format of the picture (default: by the ending of FILE, else svg)",
        flags=("-f", "--format", "-of", "--output_format"),
        choices=_formats,
        convert=str.lower,
    )
    json: bool = option(False, "print what was drawn as JSON; trex schema draw describes it", group="output")
    limit: int = option(
        -1, "with --json: keep the first N items of every list", metavar="N", convert=count, group="output"
    )
    fields: str = option("", "with --json: keep these parts: notes,sections.*.facts", metavar="PATHS", group="output")
    device: str = option("", DEVICE_HELP, metavar="NAME")
    baseline: str = option("", "another engine of the same model, for colors by change", metavar="PATH")
    config: str = option("", CONFIG_HELP, metavar="FILE")


@cache
def options_of_drawing() -> type:
    """The options above, the selections, and every choice of the style."""
    from trex.cli.diagram_options import with_drawing_options

    return with_drawing_options(_Options)


def run(options: Any) -> int:
    from trex.cli.diagram_options import drawing_of
    from trex.cli.picture import check_format, draw
    from trex.export.diagram import diagram_format
    from trex.rules.plan_lint import PlanLint

    if options.json and options.output == STDOUT:
        raise TrexError("the picture and --json both go to standard output", "--output FILE")
    name = check_format(options.output, options.output_format)
    style, selection = drawing_of(options)
    device = named_device(options.device)
    if options.color_by == _CHANGE and not options.baseline:
        raise TrexError("colors by change need another engine to compare with", "--baseline PATH")
    plan = plan_of(options)
    baseline = load_plan(options.baseline) if options.baseline else None
    file = options.output or f"{Path(plan.name).name or 'engine'}{diagram_format(name).value.suffixes[0]}"
    if not options.output and not _may_replace(file):
        hint = f"-o {shell_word(file)} replaces it; or name another file"
        raise TrexError(f"{file} exists", hint, file)
    lint = PlanLint(plan, device, partial(lint_settings, options.config), baseline=baseline)
    written = draw(plan, file, name, style, selection, lint)
    if options.json:
        _show_json(lint, written or file, name, options)
        return DONE
    say_written(written)
    console.warn(_notes(lint, options.color_by))
    return DONE


def _notes(lint: PlanLint, color_by: str) -> tuple[Note, ...]:
    """On the engine, and on what it was colored by."""
    from trex.views.diagram.colorings.change import doubts

    return (*lint.performance.notes, *(doubts(lint) if color_by == _CHANGE else ()))


def _may_replace(file: str) -> bool:
    """Whether there is none, or a picture of ours: the engine's name, which chooses it, may be anyone's."""
    if not os.path.lexists(file):
        return True
    if not (file.endswith(".svg") and Path(file).is_file()):
        return False
    with Path(file).open("rb") as picture:
        return b"Liberation Sans" in picture.read(2000)


def _show_json(lint: PlanLint, written: str, name: str, options: Any) -> None:
    plan = lint.plan
    facts = (
        Fact("file", written),
        Fact("format", name),
        Fact("layers", f"{len(plan.working_layers):,}", len(plan.working_layers)),
    )
    document = Document(
        "draw", plan.name, plan.statement, (Section("picture", "", (Facts(facts),)),),
        _notes(lint, options.color_by), folder_of(plan.engine.source), plan,
    )  # fmt: skip
    show_document(document, DocumentOptions(json=True, limit=options.limit, fields=options.fields))


COMMAND = Command(options_of_drawing, run)
