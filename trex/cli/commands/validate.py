"""How accurate predictions are: real engines against the engines that trex predicts from their models.

The models are networks that trex writes (trex examples); times are predicted with constants fitted without the engine
they are compared with. Without FOLDER: the figures that come with this trex: engines, the structure of builds without a
GPU, and published times, each family of networks predicted without anything of its own. With FOLDER (one folder per
real engine): new figures. With --backend tensorrt-rtx: the structure of simulated engines against builds of about 250
networks without a GPU, in a few minutes; FOLDER then keeps the builds.

With ENGINE --onnx MODEL: a pair of your own, an engine with measured times against the prediction from its ONNX model:
structure, layer times, whether GPU compute lies in the error bar, and the kinds of work with the largest error.

examples:
  trex validate
  trex validate --backend tensorrt-rtx
  trex validate out/ --onnx model.onnx
  trex validate model.graph.json --onnx model.onnx --device A100
  trex validate engines/
  trex validate engines/ --save validated.json
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trex.capture.backend import TENSORRT_RTX
from trex.cli import console
from trex.cli.command import Command
from trex.cli.inputs import DEVICE_HELP, load_plan, named_device
from trex.cli.output import OutputOptions, write_output
from trex.core.errors import TrexError
from trex.core.options import option
from trex.core.scratch_folder import scratch_folder
from trex.core.steps import in_steps
from trex.views.document import Document


@dataclass(frozen=True, kw_only=True)
class ValidateOptions(OutputOptions):
    path: str = option("", "a folder with one folder for each real engine; with --onnx an engine", positional=True)
    onnx: str = option("", "the ONNX model that the engine was built from", metavar="FILE")
    device: str = option("", DEVICE_HELP, metavar="NAME")
    as_release: str = option("", "the TensorRT to predict, 8.4 to 11.1 (default: as reported)", metavar="VERSION")
    backend: str = option("", "build networks and judge the structure of simulated engines", choices=("", TENSORRT_RTX))
    save: str = option("", "write the figures that trex keeps with its constants", metavar="FILE")


def run(options: ValidateOptions) -> Document:
    from trex.simulator.published import family_goal_lines, family_rows, source_lines
    from trex.simulator.structure import kept_structure
    from trex.simulator.validation import constants_digest, goal_lines, kept_figures
    from trex.views.validation import published_section, structure_section, validation_document

    if options.onnx:
        return _own_pair(options)
    if options.device or options.as_release:
        raise TrexError("--device and --as-release need an engine and its model", "trex validate ENGINE --onnx MODEL")
    if options.backend:
        structure = _judged_structure(options.path)
        if options.save:
            _write(structure, options.save)
        return Document("validate", "Predicted and real engines", sections=(structure_section(structure),))
    if not options.path and options.save:
        raise TrexError("--save needs a folder of real engines", "trex validate FOLDER")
    if options.path:
        figures, remarks = _judged(options.path, is_saved=bool(options.save))
    else:
        figures = kept_figures()
        remarks = [f"figures of {figures['judged']}, kept with this trex; trex validate FOLDER computes new ones"]
        if figures["constants"] != constants_digest():
            remarks.append("these figures belong to other constants than those of this trex")
    if options.save:
        _write(figures, options.save)
    sections = [] if options.path else [structure_section(kept_structure())]
    if entries := figures["published"]:
        sections.append(published_section(family_rows(entries), family_goal_lines(entries), source_lines()))
    return validation_document(figures, goal_lines(figures), remarks, *sections)


def _own_pair(options: ValidateOptions) -> Document:
    from trex.perf.performance import Performance
    from trex.simulator.own_pair import own_pair
    from trex.views.validation import pair_document

    if not options.path or options.save or options.backend:
        raise TrexError("--onnx compares one engine: no --save, no --backend", "trex validate ENGINE --onnx MODEL")
    device = named_device(options.device)
    plan = load_plan(options.path)
    with console.patience("predicting the engine"):
        pair = own_pair(plan, options.onnx, device, options.as_release)
    return pair_document(pair.figures, Performance(plan, device).notes)


def _judged(folder: str, *, is_saved: bool) -> tuple[dict[str, Any], list[str]]:
    """(figures of every engine of the folder that has a twin, what is left out and why). is_saved: also predict the
    published times, which takes a minute.
    """
    from datetime import date
    from pathlib import Path

    from trex.examples.network import write_network
    from trex.ingest.onnx_model import read_model
    from trex.simulator.published import judge_published, observed_sums, published_inferences
    from trex.simulator.real_engines import REFERENCE_ENGINES, measured_of, real_plans
    from trex.simulator.validation import figures, real_engine, validation_of

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
    with console.patience("predicting published inferences"):
        inferences = published_inferences()
        sums = observed_sums(inferences)
    with console.patience("predicting the engines"), scratch_folder() as models:
        for reference in in_steps("engine", references):
            path = write_network(reference.network, Path(models) / f"{reference.engine}.onnx", reference.batch)
            plan = plans[reference.engine]
            real = real_engine(plan)
            validations.append(validation_of(reference, read_model(str(path)), real, measured, sums))
    published: list[dict[str, Any]] = []
    if is_saved:
        with console.patience("predicting published times"):
            published = judge_published(measured, inferences)
    return figures(validations, date.today().isoformat(), published), left_out


def _judged_structure(folder: str) -> dict[str, Any]:
    """Figures of ``trex.simulator.structure`` for all judged networks. folder: keeps the builds; "" for none."""
    from datetime import date
    from pathlib import Path

    from trex.capture.structure_judge import builder_name, judge
    from trex.examples.judged_networks import judged_networks
    from trex.simulator.structure import Structure, structure_figures

    builder = builder_name()
    networks = [(network.name, network.family, network.serialized) for network in judged_networks()]
    structures: list[Structure] = []
    left_out: dict[str, str] = {}
    with console.patience(f"building {len(networks)} networks"), scratch_folder() as scratch:
        for name, result in in_steps("network", judge(networks, Path(folder or scratch)), len(networks)):
            if isinstance(result, Structure):
                structures.append(result)
            else:
                left_out[name] = result
    return structure_figures(structures, left_out, builder, date.today().isoformat())


def _write(document: dict[str, Any], output: str) -> None:
    """The entries of a list take one line each."""
    import json

    parts = []
    for key, value in document.items():
        lines = ",\n".join(f"  {json.dumps(entry)}" for entry in value) if isinstance(value, list) else ""
        parts.append(f" {json.dumps(key)}: " + (f"[\n{lines}\n ]" if lines else json.dumps(value)))
    write_output(output, "{\n" + ",\n".join(parts) + "\n}\n")


COMMAND = Command(ValidateOptions, run)
