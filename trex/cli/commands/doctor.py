"""What was recognized at a path, what is missing, and the exact commands that would produce it.

Exits with 1 when something is missing or was lost, with 0 when every engine is complete. The commands are trtexec's, in
the spelling of the engine's own TensorRT release; words in capitals stand for what no file tells.

Without a path: what of this machine works (driver, CUDA, TensorRT, trtexec, clocks, Graphviz, extras), what does not,
and the command that mends it. Nothing is changed. Exits with 0 when engines can be built and profiled here and nothing
installed is broken, else with 1; what has been captured elsewhere is read and drawn anywhere.

examples:
  trex doctor
  trex doctor out/
  trex doctor resnet.graph.json build.log --json
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import option


@dataclass(frozen=True)
class Options:
    path: tuple[str, ...] = option(
        (), "files, stems, folders, .tea archives or example:NAME; none: this machine", many=True, positional=True
    )
    json: bool = option(False, "print JSON (schema trex.doctor/1; of the machine trex.environment/1)")
    trtexec: str = option("", "where trtexec is, if not in the usual places; for the machine", metavar="PATH")


def run(options: Options) -> int:
    return _run_on_files(options) if options.path else _run_on_machine(options)


def _run_on_machine(options: Options) -> int:
    from trex.capture.environment import examine
    from trex.cli import console
    from trex.cli.environment_lines import environment_lines

    with console.patience("examining this machine"):
        environment = examine(options.trtexec)
    if options.json:
        console.show_json(environment.as_dict())
    else:
        console.show(environment_lines(environment, console.width()))
    return 0 if environment.is_healthy else 1


def _run_on_files(options: Options) -> int:
    from trex.cli import console
    from trex.export.text import diagnosis_lines
    from trex.plan.loading import find_plans
    from trex.views.diagnosis import diagnose, report

    found = list(dict.fromkeys(files for path in options.path for files in find_plans(path)))
    diagnoses = []
    for files in found:
        with console.patience(f"reading {files.name}"):
            diagnoses.append(diagnose(files))
    if options.json:
        console.show_json(report(diagnoses))
    else:
        for number, diagnosis in enumerate(diagnoses):
            if number:
                console.say()
            console.show(diagnosis_lines(diagnosis, console.width()))
    return 0 if all(diagnosis.is_healthy for diagnosis in diagnoses) else 1


COMMAND = Command(Options, run)
