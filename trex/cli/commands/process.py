"""Build an engine from an ONNX model (or take an engine), profile it, draw it, report on it.

Arguments after OUTDIR go to trtexec, with or without dashes; they are checked before the build. Stages that are up to
date are skipped. A run that fails or is killed changes no file of an earlier one; what it wrote, the logs included, is
in OUTDIR/NAME.engine.failed. Exits with trtexec's code when it fails, with 1 if it crashes or a report, an archive or
the picture of -d is missing, and with 128 + N when trex got a signal that ended the run.

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
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trex.cli import console
from trex.cli.command import DONE, FINDINGS, Command
from trex.cli.output import DocumentOptions
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.options import option, option_fields
from trex.core.printable import printable, shell_line, shell_word

if TYPE_CHECKING:
    from trex.capture.capture_run import CaptureResult
    from trex.capture.options import CaptureOptions
    from trex.capture.phases import Watcher
    from trex.plan.engine_plan import EnginePlan
    from trex.views.document import Document

_SLOWEST = 3


@cache
def options_of_processing() -> type:
    """Every choice of a run, and what is shown of it."""
    from trex.capture.options import CaptureOptions

    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Output(DocumentOptions):
        """``--verbose`` is trtexec's."""

        details: bool = option(False, "show details and notes", flags=("-v",), group="output")

        @property
        def shows_details(self) -> bool:
            return self.details

    fields: list[Any] = [
        (item.name, item.type, dataclasses.field(default=item.default, metadata=item.metadata))
        for item in dataclasses.fields(CaptureOptions)
    ]
    return dataclasses.make_dataclass("ProcessOptions", fields, bases=(Output,), frozen=True)


def without_dashes(arguments: list[str]) -> list[str]:
    """trtexec's own options as words, whose names are none of ours: ``--fp16`` → ``fp16``."""
    from trex.ingest.spelling.trtexec_options import OPTIONS

    ours = {flag for field in option_fields(options_of_processing()) for flag in (field.flag, *field.flags)}
    ours |= {"--help", "--version"}
    end = arguments.index("--") if "--" in arguments else len(arguments)

    def word(text: str) -> str:
        name = text.partition("=")[0]
        return text[2:] if text.startswith("--") and name not in ours and name[2:] in OPTIONS else text

    return [*map(word, arguments[:end]), *arguments[end:]]


def run(options: Any) -> Document | tuple[Document, int] | int:
    from trex.capture.options import CaptureOptions
    from trex.capture.process import commands, process
    from trex.cli.progress import watching

    values = {item.name: getattr(options, item.name) for item in dataclasses.fields(CaptureOptions)}
    values["trtexec_args"] = tuple(values["trtexec_args"])
    wanted = CaptureOptions(**values)
    if options.output:
        _check_output(options.output, wanted)
    if wanted.print_only:
        document = commands_document(commands(wanted), wanted.outdir)
        if not options.is_for_reading:
            return document
        # nothing but commands, for ``| sh``
        console.show([(command, "command")] for command in document.section("commands").commands)
        return DONE
    drawn = _Drawn()
    with watching(not options.is_for_reading) as watcher:
        outcome = process(wanted, watcher, lambda outcome: _finish(wanted, outcome, drawn, watcher), _import_views)
    if outcome.failure:
        console.complain(f"trex process: {outcome.failure}")
    elif outcome.stopped_by:
        where = (outcome.set_aside or outcome.outputs).folder
        console.complain(f"trex process: stopped by {outcome.stopped_by}; the logs are in {where}")
    pairs = (wanted.report, drawn.report), (wanted.archive, drawn.archive), (wanted.draw_engine, drawn.picture)
    is_incomplete = any(is_asked_for and not path for is_asked_for, path in pairs)
    code = outcome.exit_code or (FINDINGS if is_incomplete else DONE)
    return _document(outcome, drawn, code), code


def _check_output(path: str, options: CaptureOptions) -> None:
    """A build may take hours: what can't be written after it is an error before."""
    from trex.capture.process import is_used
    from trex.core.whole_file import file_to_write, is_stream

    if is_used(path, options):
        raise TrexError("this is a file of the run, and would be replaced", "name another", path)
    folder = Path(os.path.realpath(path)).parent
    if is_stream(path) or (folder == Path(os.path.realpath(options.outdir)) and not folder.exists()):
        return  # the run makes its folder
    file_to_write(path)
    if not os.access(folder, os.W_OK):
        raise TrexError("the file cannot be written: its folder is not writable", "name a file in another", path)


def commands_document(lines: list[tuple[str, ...]], folder: str) -> Document:
    """The commands that would run; trtexec does not create the folder."""
    from trex.views.document import Document, Section, Text

    first = (
        []
        if Path(folder).is_dir() or not lines
        else [("mkdir", "-p", "--", folder) if folder.startswith("-") else ("mkdir", "-p", folder)]
    )
    text = Text(tuple(shell_line(line) for line in [*first, *lines]), "command")
    section = Section("commands", "", (text,), data={"commands": [list(line) for line in lines]})
    return Document("process", "Commands", sections=(section,))


@dataclasses.dataclass
class _Drawn:
    """Files written after the run, a short summary of the engine, and what went wrong."""

    picture: str = ""
    report: str = ""
    archive: str = ""
    tactics: str = ""
    summary: Document | None = None
    notes: tuple[Any, ...] = ()


def _finish(options: CaptureOptions, outcome: CaptureResult, drawn: _Drawn, watcher: Watcher) -> None:
    """Draws and archives what has been collected; nothing of it is lost when that fails."""
    from trex.capture.process import DRAW, archive, asked_stages
    from trex.cli.picture import draw

    if outcome.failure or outcome.stopped_by or outcome.set_aside:
        return
    outputs = outcome.outputs
    if options.record_tactics and Path(options.record_tactics).is_file():
        drawn.tactics = options.record_tactics
    if outputs.graph.is_file():
        wants_picture = DRAW in asked_stages(options)
        try:
            plan = _summarize(outcome, drawn)
            if options.report:
                watcher.phase("writing the report")
                _write_report(plan, outcome, drawn)
            if wants_picture:
                if outcome.done:
                    watcher.phase("drawing the engine")
                drawn.picture = draw(plan, str(outputs.picture))
        except Exception as error:  # whatever goes wrong here, minutes of building and measuring are not lost to it
            hint = f"trex draw {shell_word(str(outputs.graph))} tries again"
            drawn.notes += (_failed("not-drawn", "the engine was not drawn", error, hint),)
    elif DRAW in asked_stages(options) and not outcome.done:
        raise TrexError("there is nothing to draw", "build and profile it first: leave -d out", str(outputs.graph))
    if options.archive:
        try:
            drawn.archive = str(archive(outputs))
        except TrexError as error:
            drawn.notes += (_failed("not-archived", "no archive", error, error.hint),)


def _import_views() -> None:
    """What ``_finish`` needs: half a second that a build hides."""
    import trex.capture.log_metadata
    import trex.cli.picture
    import trex.export.diagrams.svg
    import trex.plan.loading
    import trex.views.summary  # noqa: F401


def _write_report(plan: EnginePlan, outcome: CaptureResult, drawn: _Drawn) -> None:
    """The report, or a Note: a report that fails loses nothing of what was measured."""
    from trex.cli.settings import lint_settings
    from trex.export.document import write_document
    from trex.views.report.document import report_document

    path = outcome.outputs.report
    try:
        drawn.report = str(write_document(report_document(plan, configuration=lint_settings), path))
    except Exception as error:  # as for the picture
        hint = getattr(error, "hint", "") or f"trex report {shell_line((str(outcome.outputs.graph), '-o', str(path)))}"
        drawn.notes += (_failed("no-report", "the report was not written", error, hint),)


def _failed(code: str, what: str, error: Exception, hint: str) -> Note:
    reason = error.message if isinstance(error, TrexError) else f"{type(error).__name__}: {error}"
    return Note(code, f"{what}: {reason}", hint, severity="problem")


def _summarize(outcome: CaptureResult, drawn: _Drawn) -> EnginePlan:
    from trex.ingest.artifacts import read_artifacts
    from trex.plan.engine_plan import EnginePlan
    from trex.plan.loading import find_plans
    from trex.views.summary import summary_document

    outputs = outcome.outputs
    files = find_plans(str(outputs.graph))[0]
    # The metadata files hold what the logs say of options and performance, and logs may be very long.
    if outputs.build_metadata.is_file():
        files = dataclasses.replace(files, build_log=None)
    if outputs.profile_metadata.is_file():
        files = dataclasses.replace(files, profile_log=None)
    plan = EnginePlan.from_artifacts(read_artifacts(files))
    drawn.summary = summary_document(plan, _SLOWEST)
    drawn.notes += plan.notes
    return plan


def _files(outcome: CaptureResult, drawn: _Drawn) -> dict[str, str]:
    """{kind: path} of the files in the output folder."""
    o = outcome.outputs
    kinds = {
        "engine": o.engine, "layers": o.graph, "profile": o.profile, "times": o.times, "telemetry": o.telemetry,
        "build log": o.build_log, "run log": o.profile_log, "manifest": o.manifest,
    }  # fmt: skip
    files = {kind: str(path) for kind, path in kinds.items() if path.is_file()}
    aside = str(outcome.set_aside.folder) if outcome.set_aside is not None else ""
    views = (
        ("tactics", drawn.tactics),
        ("picture", drawn.picture),
        ("report", drawn.report),
        ("archive", drawn.archive),
        ("failed run", aside),
    )
    return files | {kind: path for kind, path in views if path}


def _document(outcome: CaptureResult, drawn: _Drawn, code: int) -> Document:
    """The engine's summary, what was done, and the files."""
    from trex.views.document import Document, Fact, Section, Text, section

    failure = outcome.failure
    data = {
        "exit_code": code,
        "done": list(outcome.done),
        "up_to_date": list(outcome.up_to_date),
        "stopped_by": outcome.stopped_by,
        "failure": {"message": failure.message, "hint": failure.hint, "where": failure.where} if failure else None,
    }
    skipped = tuple(f"{stage}: up to date (--force repeats it)" for stage in outcome.up_to_date)
    files = tuple(Fact(kind, printable(path), path) for kind, path in _files(outcome, drawn).items())
    own = [Section("run", data=data), section(name="files", title="Files", statements=skipped, facts=files)]
    notes = tuple(dict.fromkeys((*outcome.notes, *drawn.notes)))
    folder = str(outcome.outputs.folder)
    if failure is None and outcome.outputs.graph.is_file():
        own.append(Section("next", "Next", (Text((f"trex lint {shell_word(folder)}",), "command"),)))
    summary = drawn.summary or Document("process", outcome.outputs.folder.name)
    return dataclasses.replace(
        summary, command="process", sections=(*summary.sections, *own), notes=notes, folder=folder, source=outcome
    )


COMMAND = Command(options_of_processing, run, without_dashes)
