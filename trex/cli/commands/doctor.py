"""Check the files of an engine, or this machine: what is there, what is missing, and the commands that get it.

With a path: exits with 1 when something is missing or was lost. The commands are trtexec's, in the spelling of the
engine's TensorRT release; replace words in capitals.

Without a path: driver, CUDA, TensorRT, trtexec, clocks, Graphviz and extras of this machine. Nothing is changed. Exits
with 1 when engines cannot be built and profiled here, or an installed part is broken.

examples:
  trex doctor
  trex doctor out/
  trex doctor resnet.graph.json build.log --json
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.cli.output import OutputOptions
from trex.core.options import option


@dataclass(frozen=True, kw_only=True)
class DoctorOptions(OutputOptions):
    path: tuple[str, ...] = option((), "engines; none: check this machine", many=True, positional=True)
    trtexec: str = option("", "where trtexec is, if not in the usual places", metavar="PATH")


def run(options: DoctorOptions) -> int:
    from trex.cli.output import check_output

    check_output(options, "doctor")
    return _run_on_files(options) if options.path else _run_on_machine(options)


def _run_on_machine(options: DoctorOptions) -> int:
    from trex.capture.environment import examine
    from trex.cli import console
    from trex.cli.environment_document import environment_document
    from trex.cli.output import show_document

    with console.patience("checking this machine"):
        environment = examine(options.trtexec)
    show_document(environment_document(environment), options)
    return 0 if environment.is_healthy else 1


def _run_on_files(options: DoctorOptions) -> int:
    from trex.cli import console
    from trex.cli.output import show_document
    from trex.plan.loading import find_plans
    from trex.views.diagnosis import diagnose, diagnosis_document

    engines = list(dict.fromkeys(files for path in options.path for files in find_plans(path)))
    diagnoses = []
    for files in engines:
        with console.patience(f"reading {files.name}"):
            diagnoses.append(diagnose(files))
    show_document(diagnosis_document(diagnoses), options)
    return 0 if all(diagnosis.is_healthy for diagnosis in diagnoses) else 1


COMMAND = Command(DoctorOptions, run)
