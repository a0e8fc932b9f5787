"""Check the files of an engine, or this machine: what is there, what is missing, and the commands that get it.

With a path: exits with 1 when something is missing or was lost. The commands are trtexec's, in the spelling of the
engine's TensorRT release; replace words in capitals.

Without a path: driver, CUDA, TensorRT, trtexec, clocks, Graphviz and extras of this machine. Nothing is changed. Exits
with 1 when engines cannot be built and profiled here, or an installed part is broken.

--bundle FILE.zip packs the engines' text files for a report: names of layers, tensors, files and machines become
hashes; numbers, shapes and TensorRT's own words stay. It also takes files that do not load.

--acceptance OUT builds, profiles, draws and compares a small network here, and a model of yours (--model; words after
it go to trex process), checks what trex promises, and packs the result. It needs a GPU, TensorRT and some minutes.

examples:
  trex doctor
  trex doctor out/
  trex doctor out/ --bundle bundle.zip
  trex doctor --acceptance accepted
  trex doctor --acceptance accepted --model model.onnx fp16 shapes=x:8x3x224x224
  trex doctor resnet.graph.json build.log --json
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from trex.capture.environment import BROKEN, WORKS, Check, Environment
from trex.capture.tensorrt_api.library import RTX
from trex.cli import console
from trex.cli.command import DONE, FINDINGS, Command
from trex.cli.output import OutputOptions
from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.options import option
from trex.core.steps import in_steps
from trex.views.document import Block, Document, Fact, Facts, Section, Text
from trex.views.table import Table, TableColumn


@dataclass(frozen=True, kw_only=True)
class DoctorOptions(OutputOptions):
    path: tuple[str, ...] = option((), "engines; none: check this machine", many=True, positional=True)
    bundle: str = option("", "pack the engines' files with their names hashed", metavar="FILE.zip")
    acceptance: str = option("", "try what trex promises on this machine's GPU", metavar="OUT")
    model: str = option("", "with --acceptance: also an ONNX model of yours", metavar="ONNX")
    trtexec: str = option("", "where trtexec is, if not in the usual places", metavar="PATH")


def run(options: DoctorOptions) -> tuple[Document, int]:
    from trex.capture.environment import examine
    from trex.plan.loading import find_plans
    from trex.views.completeness import completeness_document, completeness_of

    if options.bundle and options.acceptance:
        raise TrexError("--acceptance writes its own bundle", "leave --bundle out: OUT/bundle.zip")
    if options.trtexec and options.path and not options.acceptance:
        raise TrexError("--trtexec is for this machine, not for an engine", "trex doctor --trtexec PATH")
    if options.acceptance:
        return _acceptance(options)
    if options.model or (options.bundle and not options.path):
        missing = "--acceptance OUT" if options.model else "an engine"
        raise TrexError(f"{'--model' if options.model else '--bundle'} needs {missing}", "trex doctor --help")
    if options.bundle:
        return _bundle(options), DONE
    if not options.path:
        with console.patience("checking this machine"):
            environment = examine(options.trtexec)
        return environment_document(environment), DONE if environment.is_healthy else FINDINGS
    engines = list(dict.fromkeys(files for path in options.path for files in find_plans(path)))
    with console.patience("reading the files"):
        reports = [completeness_of(files) for files in in_steps("engine", engines)]
    is_healthy = all(completeness.is_healthy for completeness in reports)
    return completeness_document(reports), DONE if is_healthy else FINDINGS


def _bundle(options: DoctorOptions) -> Document:
    """Packs the files, and says what the owner should look at before attaching them."""
    from trex.export.bundle import write_bundle

    with console.patience("hashing names"):
        bundle = write_bundle(options.path, Path(options.bundle))
    rows = tuple((Path(file).name, name) for file, name in bundle.members)
    columns = (TableColumn("file"), TableColumn("in the zip"))
    blocks: list[Block] = [
        Text(
            (f"{counted(len(bundle.members), 'file')} in {bundle.path}, names hashed. Look into it, then attach it.",)
        ),
        Table("Packed", columns, rows, "packed"),
    ]
    if bundle.left_out:
        blocks.append(Text(tuple(f"Left out: {Path(file).name}: {why}" for file, why in bundle.left_out)))
    if bundle.kept:
        blocks.append(Text((f"Keys that are not known and stayed: {', '.join(bundle.kept)}",)))
    data = {
        "bundle": str(bundle.path),
        "packed": [name for _, name in bundle.members],
        "leftOut": [Path(file).name for file, _ in bundle.left_out],
        "kept": list(bundle.kept),
    }
    section = Section("bundle", "", tuple(blocks), data=data)
    return Document("doctor", "Bundle", sections=(section,))


def _acceptance(options: DoctorOptions) -> tuple[Document, int]:
    from trex.capture.environment import examine
    from trex.cli.acceptance import accept

    if options.path and not options.model:
        raise TrexError("words for trex process need --model", "trex doctor --acceptance OUT --model MODEL.onnx fp16")
    model = Path(options.model) if options.model else None
    if model is not None and not model.is_file():
        raise TrexError("there is no such model", "name an ONNX file", options.model)
    with console.patience("checking this machine"):
        environment = examine(options.trtexec)
    document, is_kept = accept(Path(options.acceptance), model, options.path, options.trtexec, environment, _say)
    return document, DONE if is_kept else FINDINGS


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


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
