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

from dataclasses import asdict, dataclass

from trex.capture.environment import BROKEN, WORKS, Check, Environment
from trex.capture.tensorrt_api.library import RTX
from trex.cli import console
from trex.cli.command import DONE, FINDINGS, Command
from trex.cli.output import OutputOptions
from trex.core.options import option
from trex.core.steps import in_steps
from trex.views.document import Block, Document, Fact, Facts, Section, Text


@dataclass(frozen=True, kw_only=True)
class DoctorOptions(OutputOptions):
    path: tuple[str, ...] = option((), "engines; none: check this machine", many=True, positional=True)
    trtexec: str = option("", "where trtexec is, if not in the usual places", metavar="PATH")


def run(options: DoctorOptions) -> tuple[Document, int]:
    from trex.capture.environment import examine
    from trex.plan.loading import find_plans
    from trex.views.completeness import completeness_document, completeness_of

    if not options.path:
        with console.patience("checking this machine"):
            environment = examine(options.trtexec)
        return environment_document(environment), DONE if environment.is_healthy else FINDINGS
    engines = list(dict.fromkeys(files for path in options.path for files in find_plans(path)))
    with console.patience("reading the files"):
        reports = [completeness_of(files) for files in in_steps("engine", engines)]
    is_healthy = all(completeness.is_healthy for completeness in reports)
    return completeness_document(reports), DONE if is_healthy else FINDINGS


def environment_document(environment: Environment) -> Document:
    """The verdict, one row per check, and the commands that fix what is missing or broken."""
    facts = tuple(Fact(check.subject, f"{check.status}: {_result(check)}") for check in environment.checks)
    blocks: list[Block] = [Text(_verdict(environment)), Facts(facts)]
    fixes = tuple(dict.fromkeys(check.fix for check in environment.checks if check.fix and check.status != WORKS))
    if fixes:
        blocks += [Text(("To fix:",)), Text(fixes, "command")]
    data = {
        "healthy": environment.is_healthy,
        "obstacles": list(environment.obstacles),
        "checks": [asdict(check) for check in environment.checks],
    }
    return Document("doctor", "This machine", sections=(Section("machine", "", tuple(blocks), data=data),))


def _verdict(environment: Environment) -> tuple[str, ...]:
    if environment.obstacles:
        obstacles = ", ".join(environment.obstacles)
        if environment.status(RTX) == WORKS:
            return (
                f"Can't profile engines here: missing or broken: {obstacles}.",
                "trex process MODEL.onnx OUT --backend tensorrt-rtx builds real ones on the CPU.",
            )
        return (
            f"Can't build or profile engines here: missing or broken: {obstacles}.",
            "Reading and drawing engines captured elsewhere works without these.",
        )
    broken = ", ".join(check.subject for check in environment.checks if check.status == BROKEN)
    return ("Engines can be built and profiled here" + (f"; broken: {broken}." if broken else "."),)


def _result(check: Check) -> str:
    return f"{check.detail} (for {check.purpose})" if check.purpose and check.status != WORKS else check.detail


COMMAND = Command(DoctorOptions, run)
