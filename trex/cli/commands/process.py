"""From an ONNX model, or an engine, to everything that is told about it: build, profile, draw, report.

Options for trtexec stand behind the folder, with dashes or without, and are checked before the build. Stages that are
up to date are skipped. What was collected is kept when a later stage fails; trtexec's whole output is in the
logs. Exits with trtexec's own code when it fails, and with 128 + N when a signal ended the run.

examples:
  trex process resnet.onnx out/ fp16
  trex process resnet.onnx out/ int8 fp16 shapes=input.1:32x3x224x224
  trex process resnet.onnx out/ --print-only
  trex process resnet.engine out/ --profile-engine
  trex process resnet.onnx out/ fp16 --report
  trex process model.onnx out/ minShapes=x:1x8 optShapes=x:4x8 maxShapes=x:8x8 shapes=x:4x8
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING, Any

from trex.cli.command import Command
from trex.core.options import option

if TYPE_CHECKING:
    from trex.capture.options import CaptureOptions
    from trex.capture.process import CaptureResult
    from trex.capture.watcher import Watcher
    from trex.plan.engine_plan import EnginePlan

SCHEMA = "trex.process/1"
_SLOWEST = 3


@cache
def options_of_processing() -> type:
    """Every choice of a run, and what is shown of it."""
    from trex.capture.options import CaptureOptions

    own = [("json", bool, option(False, f"print JSON (schema {SCHEMA})"))]
    fields: list[Any] = [
        (each.name, each.type, dataclasses.field(default=each.default, metadata=each.metadata))
        for each in dataclasses.fields(CaptureOptions)
    ]
    return dataclasses.make_dataclass("Options", [*fields, *own], frozen=True)


def without_dashes(arguments: list[str]) -> list[str]:
    """trtexec's own options as words, whose names are none of ours: ``--fp16`` → ``fp16``."""
    from trex.core.options import option_fields
    from trex.ingest.spelling.trtexec_options import OPTIONS

    ours = {flag for field in option_fields(options_of_processing()) for flag in (field.flag, *field.flags)}
    ours |= {"--help", "--version"}
    end = arguments.index("--") if "--" in arguments else len(arguments)

    def word(text: str) -> str:
        name = text.partition("=")[0]
        return text[2:] if text.startswith("--") and name not in ours and name[2:] in OPTIONS else text

    return [*map(word, arguments[:end]), *arguments[end:]]


def run(options: Any) -> int:
    from trex.capture.options import CaptureOptions
    from trex.capture.process import commands, process
    from trex.cli import console
    from trex.cli.progress import watching

    values = {each.name: getattr(options, each.name) for each in dataclasses.fields(options) if each.name != "json"}
    values["trtexec_args"] = tuple(values["trtexec_args"])
    wanted = CaptureOptions(**values)
    if wanted.print_only:
        return _print_commands(commands(wanted), wanted.outdir, options.json)
    drawn = _Drawn()
    with watching(options.json) as watcher:
        outcome = process(wanted, watcher, lambda outcome: _finish(wanted, outcome, drawn, watcher))
    if options.json:
        console.show_json(_document(outcome, drawn))
    else:
        _report(outcome, drawn)
    if outcome.failure:
        console.complain(f"trex process: {outcome.failure}")
    elif outcome.stopped_by:
        console.complain(f"trex process: stopped by {outcome.stopped_by}; the logs are in {outcome.outputs.folder}")
    return outcome.exit_code


def _print_commands(lines: list[tuple[str, ...]], folder: str, as_json: bool) -> int:
    """trtexec makes no folder, and says so after the build."""
    import shlex
    from pathlib import Path

    from trex.cli import console

    if as_json:
        console.show_json({"schema": SCHEMA, "commands": [list(line) for line in lines]})
        return 0
    needed = [] if Path(folder).is_dir() or not lines else [("mkdir", "-p", folder)]
    for line in [*needed, *lines]:
        console.say(shlex.join(line))
    return 0


@dataclasses.dataclass
class _Drawn:
    """What came of drawing: picture and report, lines about the engine, and what went wrong on the way."""

    picture: str = ""
    report: str = ""
    archive: str = ""
    lines: Any = ()
    facts: Any = None
    notes: tuple[Any, ...] = ()


def _finish(options: CaptureOptions, outcome: CaptureResult, drawn: _Drawn, watcher: Watcher) -> None:
    """Draws and archives what has been collected; nothing of it is lost when that fails."""
    from trex.capture.process import DRAW, archive, stages_of
    from trex.core.errors import TrexError
    from trex.core.note import Note

    if outcome.stopped_by:
        return
    outputs = outcome.outputs
    if outputs.graph.is_file() and not outcome.failure:
        wants_picture = DRAW in stages_of(options, outputs)
        if wants_picture and outcome.done:
            watcher.phase("drawing the engine")
        try:
            plan = _draw(outcome, drawn, wants_picture)
            if options.report:
                watcher.phase("writing the report")
                _write_report(plan, outcome, drawn)
        except Exception as error:  # whatever goes wrong here, minutes of building and measuring are not lost to it
            what = error.message if isinstance(error, TrexError) else f"{type(error).__name__}: {error}"
            hint = f"trex draw {outputs.graph} tries again"
            drawn.notes += (Note("not-drawn", f"the engine was not drawn: {what}", hint, severity="problem"),)
    elif not outcome.failure and DRAW in stages_of(options, outputs) and not outcome.done:
        raise TrexError("there is nothing to draw", "build and profile it first: leave -d out", str(outputs.graph))
    if options.archive:
        try:
            drawn.archive = str(archive(outputs))
        except TrexError as error:
            drawn.notes += (Note("not-archived", error.message, error.hint, error.where, "problem"),)


def _write_report(plan: EnginePlan, outcome: CaptureResult, drawn: _Drawn) -> None:
    """The report, or a Note: a report that fails loses nothing of what was measured."""
    from trex.cli.settings import lint_settings
    from trex.core.errors import TrexError
    from trex.core.note import Note
    from trex.export.report import write_report
    from trex.views.report.card import report_card

    path = outcome.outputs.report
    try:
        drawn.report = str(write_report(report_card(plan, configuration=lint_settings), path))
    except Exception as error:  # as for the picture
        what = error.message if isinstance(error, TrexError) else f"{type(error).__name__}: {error}"
        hint = (
            error.hint
            if isinstance(error, TrexError) and error.hint
            else f"trex report {outcome.outputs.graph} -o {path}"
        )
        drawn.notes += (Note("no-report", f"the report was not written: {what}", hint, severity="problem"),)


def _draw(outcome: CaptureResult, drawn: _Drawn, wants_picture: bool) -> EnginePlan:
    from dataclasses import replace

    from trex.cli import console
    from trex.cli.picture import draw
    from trex.export.text import summary_lines
    from trex.ingest.artifacts import read_artifacts
    from trex.plan.engine_plan import EnginePlan
    from trex.plan.loading import find_plans
    from trex.views.summary import summarize

    outputs = outcome.outputs
    files = find_plans(str(outputs.graph))[0]
    # The metadata files hold what the logs say of options and performance, and logs may be very long.
    if outputs.build_metadata.is_file():
        files = replace(files, build_log=None)
    if outputs.profile_metadata.is_file():
        files = replace(files, profile_log=None)
    plan = EnginePlan.from_artifacts(read_artifacts(files))
    summary = summarize(plan, _SLOWEST)
    short = replace(summary, tables=summary.tables[:1] if plan.is_profiled else (), caveats=())
    drawn.lines = tuple(summary_lines(short, console.width(), bars=console.is_rich()))
    drawn.facts = short.as_dict()["facts"]
    drawn.notes += tuple(note for note in summary.caveats if note.severity == "problem")
    if wants_picture:
        drawn.picture = draw(plan, str(outputs.picture))
    return plan


def _report(outcome: CaptureResult, drawn: _Drawn) -> None:
    from trex.cli import console
    from trex.core.printable import printable
    from trex.export.text import note_lines

    if drawn.lines:
        console.show(drawn.lines)
        console.say()
    for stage in outcome.up_to_date:
        console.say(f"{stage}: up to date (--force does it again)")
    for kind, path in _files(outcome, drawn).items():
        console.show([[(f"{kind:<11}", "label"), (printable(path), "")]])
    notes = tuple(dict.fromkeys((*outcome.notes, *drawn.notes)))
    if notes:
        console.say()
    for note in notes:
        console.show(note_lines(note, str(outcome.outputs.folder), console.width()))


def _files(outcome: CaptureResult, drawn: _Drawn) -> dict[str, str]:
    """{what it is: path} of what lies in the output folder."""
    o = outcome.outputs
    kinds = {
        "engine": o.engine, "layers": o.graph, "profile": o.profile, "times": o.times, "telemetry": o.telemetry,
        "build log": o.build_log, "run log": o.profile_log, "manifest": o.manifest,
    }  # fmt: skip
    found = {kind: str(path) for kind, path in kinds.items() if path.is_file()}
    made = (("picture", drawn.picture), ("report", drawn.report), ("archive", drawn.archive))
    found |= {kind: path for kind, path in made if path}
    return found


def _document(outcome: CaptureResult, drawn: _Drawn) -> dict[str, Any]:
    failure = outcome.failure
    return {
        "schema": SCHEMA,
        "exit_code": outcome.exit_code,
        "done": list(outcome.done),
        "up_to_date": list(outcome.up_to_date),
        "stopped_by": outcome.stopped_by,
        "failure": {"message": failure.message, "hint": failure.hint, "where": failure.where} if failure else None,
        "files": _files(outcome, drawn),
        "facts": drawn.facts,
        "notes": [
            {"code": n.code, "severity": n.severity, "message": n.message, "hint": n.hint, "where": n.where}
            for n in dict.fromkeys((*outcome.notes, *drawn.notes))
        ],
    }


COMMAND = Command(options_of_processing, run, without_dashes)
