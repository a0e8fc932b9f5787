"""How accurate predictions are: real engines against the engines that trex predicts from their models.

The models are networks that trex writes (trex examples); times are predicted with constants fitted without the engine
they are compared with. Without FOLDER: the figures that come with this trex. With FOLDER (one folder per real engine):
new figures. With --backend tensorrt-rtx: the structure of simulated engines against builds of about 250 networks
without a GPU, in a few minutes; FOLDER then keeps the builds.

examples:
  trex validate
  trex validate --backend tensorrt-rtx
  trex validate engines/
  trex validate engines/ --save validated.json
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trex.capture.backend import TENSORRT_RTX
from trex.cli import console
from trex.cli.command import Command
from trex.cli.output import OutputOptions
from trex.core.errors import TrexError
from trex.core.options import option
from trex.views.document import Document


@dataclass(frozen=True, kw_only=True)
class ValidateOptions(OutputOptions):
    folder: str = option("", "folder with one folder for each real engine", positional=True)
    backend: str = option("", "build networks and judge the structure of simulated engines", choices=("", TENSORRT_RTX))
    save: str = option("", "write the figures that trex keeps with its constants", metavar="FILE")


def run(options: ValidateOptions) -> Document:
    from trex.simulator.structure import kept_structure
    from trex.simulator.validation import constants_digest, goal_lines, kept_figures
    from trex.views.validation import structure_section, validation_document

    if options.backend:
        judged = _judged_structure(options.folder)
        if options.save:
            _write(judged, options.save, "networks")
        return Document("validate", "Predicted and real engines", sections=(structure_section(judged),))
    if not options.folder and options.save:
        raise TrexError("--save needs a folder of real engines", "trex validate FOLDER")
    if options.folder:
        figures, remarks = _judged(options.folder)
    else:
        figures = kept_figures()
        remarks = [f"figures of {figures['judged']}, kept with this trex; trex validate FOLDER computes new ones"]
        if figures["constants"] != constants_digest():
            remarks.append("these figures belong to other constants than those of this trex")
    if options.save:
        _write(figures, options.save, "engines")
    structure = None if options.folder else kept_structure()
    return validation_document(figures, goal_lines(figures), remarks, structure)


def _judged(folder: str) -> tuple[dict[str, Any], list[str]]:
    """(figures of every engine of the folder that has a twin, what is left out and why)."""
    import tempfile
    from datetime import date
    from pathlib import Path

    from trex.examples.network import write_network
    from trex.ingest.onnx_model import read_model
    from trex.simulator.real_engines import REFERENCE_ENGINES, compute_ms, measured_of, real_plans, times_ms
    from trex.simulator.validation import RealEngine, figures, validation_of

    with console.patience(f"reading {folder}"):
        plans = real_plans(Path(folder))
        measured, left_out = measured_of(plans)
    references = [engine for engine in REFERENCE_ENGINES if engine.engine in plans]
    if not references:
        raise TrexError(
            f"none of the engines at {folder} has a model that trex can rebuild",
            f"their folders are called like {REFERENCE_ENGINES[0].engine}",
            folder,
        )
    left_out = [line.replace("left out", "no constant is fitted to it") for line in left_out]
    known = {engine.engine for engine in references}
    left_out += [f"{name}: not validated, trex cannot rebuild its model" for name in plans if name not in known]
    validations = []
    with console.patience("predicting the engines"), tempfile.TemporaryDirectory() as models:
        for reference in references:
            path = write_network(reference.network, Path(models) / f"{reference.engine}.onnx", reference.batch)
            plan = plans[reference.engine]
            real = RealEngine(plan.all_layers, times_ms(plan.all_times), compute_ms(plan))
            validations.append(validation_of(reference, read_model(str(path)), real, measured))
    return figures(validations, date.today().isoformat()), left_out


def _judged_structure(folder: str) -> dict[str, Any]:
    """Figures of ``trex.simulator.structure`` for all judged networks. folder: keeps the builds; "" for none."""
    import tempfile
    from datetime import date
    from pathlib import Path

    from trex.capture.structure_judge import builder_name, judge
    from trex.examples.judged_networks import judged_networks
    from trex.simulator.structure import Structure, structure_figures

    builder = builder_name()
    networks = [(network.name, network.family, network.serialized) for network in judged_networks()]
    structures: list[Structure] = []
    left_out: dict[str, str] = {}
    with console.patience(f"building {len(networks)} networks"), tempfile.TemporaryDirectory() as scratch:
        for name, result in judge(networks, Path(folder or scratch)):
            if isinstance(result, Structure):
                structures.append(result)
            else:
                left_out[name] = result
    return structure_figures(structures, left_out, builder, date.today().isoformat())


def _write(document: dict[str, Any], output: str, rows: str) -> None:
    """rows: the key whose entries take one line each."""
    import json
    from pathlib import Path

    from trex.core.whole_file import write_whole

    lines = ",\n".join(f"  {json.dumps(entry)}" for entry in document[rows])
    head = "".join(f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in document.items() if key != rows)
    write_whole(Path(output), f'{{\n{head} "{rows}": [\n{lines}\n ]\n}}\n'.encode())


COMMAND = Command(ValidateOptions, run)
