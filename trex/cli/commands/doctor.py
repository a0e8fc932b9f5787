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

from trex.cli import console
from trex.cli.command import DONE, FINDINGS, Command
from trex.cli.output import OutputOptions
from trex.core.options import option
from trex.views.document import Document


@dataclass(frozen=True, kw_only=True)
class DoctorOptions(OutputOptions):
    path: tuple[str, ...] = option((), "engines; none: check this machine", many=True, positional=True)
    trtexec: str = option("", "where trtexec is, if not in the usual places", metavar="PATH")


def run(options: DoctorOptions) -> tuple[Document, int]:
    from trex.capture.environment import examine
    from trex.cli.environment_document import environment_document
    from trex.plan.loading import find_plans
    from trex.views.diagnosis import diagnose, diagnosis_document

    if not options.path:
        with console.patience("checking this machine"):
            environment = examine(options.trtexec)
        return environment_document(environment), DONE if environment.is_healthy else FINDINGS
    engines = list(dict.fromkeys(files for path in options.path for files in find_plans(path)))
    diagnoses = []
    for files in engines:
        with console.patience(f"reading {files.name}"):
            diagnoses.append(diagnose(files))
    is_healthy = all(diagnosis.is_healthy for diagnosis in diagnoses)
    return diagnosis_document(diagnoses), DONE if is_healthy else FINDINGS


COMMAND = Command(DoctorOptions, run)
