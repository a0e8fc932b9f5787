"""How far predictions of the simulated builder hold: real engines against the engines predicted from their models.

The models are networks that trex writes itself (trex examples), rebuilt for every engine; times are predicted with
constants fitted without the engine that they are judged by. Without a FOLDER, the figures that come with this trex are
told; with one, which holds real engines in a folder each, they are made anew.

examples:
  trex validate
  trex validate engines/
  trex validate engines/ --differences
  trex validate engines/ --output trex/simulator/validated.json
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trex.cli.command import Command
from trex.core.options import option

SCHEMA = "trex.validate/1"


@dataclass(frozen=True)
class Options:
    folder: str = option("", "folder with one folder for each real engine", positional=True)
    differences: bool = option(False, "tell which fused groups and copies only one side has")
    json: bool = option(False, f"print JSON (schema {SCHEMA})")
    markdown: bool = option(False, "print Markdown")
    output: str = option("", "write the figures, as JSON without single groups", metavar="FILE", flags=("-o",))


def run(options: Options) -> int:
    from trex.cli import console
    from trex.core.errors import TrexError
    from trex.export.performance_markdown import table_markdown
    from trex.export.text_table import table_lines
    from trex.simulator.validation import constants_digest, goal_lines, kept_figures
    from trex.views.validation import validation_table

    if not options.folder and (options.output or options.differences):
        asked = "--output" if options.output else "--differences"
        raise TrexError(f"{asked} needs a folder of real engines", "trex validate FOLDER")
    left_out: list[str] = []
    if options.folder:
        document, left_out = _judged(options.folder, options.differences or options.json)
    else:
        document = kept_figures()
    if options.output:
        _write(document, options.output)
    if options.json:
        console.show_json(document)
        return 0
    table = validation_table(document).for_people()
    if options.markdown:
        console.write("\n".join(table_markdown(table)).lstrip() + "\n")
    else:
        console.show(table_lines(table, console.width()))
    console.say()
    for line in goal_lines(document):
        console.say(f"- {line}")
    if options.differences:
        for line in _differences(document):
            console.say(line)
    for line in left_out:
        console.say(line)
    if not options.folder:
        console.say(
            f"judged on {document['judged']}, as they come with this trex; a FOLDER of real engines judges anew"
        )
        if document["constants"] != constants_digest():
            console.complain("these figures belong to other constants than those of this trex")
    return 0


def _judged(folder: str, differences: bool) -> tuple[dict[str, Any], list[str]]:
    """(figures of every engine of the folder that has a twin, what is left out and why)."""
    import tempfile
    from datetime import date
    from pathlib import Path

    from trex.cli import console
    from trex.core.errors import TrexError
    from trex.examples.network import write_network
    from trex.ingest.onnx_model import read_model
    from trex.simulator.real_engines import compute_ms, measured_of, real_plans, times_ms
    from trex.simulator.reference_engines import REFERENCE_ENGINES
    from trex.simulator.validation import RealEngine, figures, validation_of

    with console.patience(f"reading {folder}"):
        plans = real_plans(Path(folder))
        measured, left_out = measured_of(plans)
    twins = [each for each in REFERENCE_ENGINES if each.engine in plans]
    if not twins:
        raise TrexError(
            f"none of the engines at {folder} has a model that trex can rebuild",
            f"their folders are called like {REFERENCE_ENGINES[0].engine}",
            folder,
        )
    left_out = [line.replace("left out", "no constant is fitted to it") for line in left_out]
    known = {each.engine for each in twins}
    left_out += [f"{name}: not judged, its model cannot be rebuilt" for name in plans if name not in known]
    validations = []
    with console.patience("predicting the engines"), tempfile.TemporaryDirectory() as made:
        for each in twins:
            path = write_network(each.network, Path(made) / f"{each.engine}.onnx", each.batch)
            plan = plans[each.engine]
            real = RealEngine(plan.all_layers, times_ms(plan.all_times), compute_ms(plan))
            validations.append(validation_of(each, read_model(str(path)), real, measured))
    return figures(validations, date.today().isoformat(), differences=differences), left_out


def _write(document: dict[str, Any], output: str) -> None:
    import json
    from pathlib import Path

    from trex.core.whole_file import write_whole

    told = [{key: value for key, value in each.items() if not key.startswith("only_")} for each in document["engines"]]
    lines = ",\n".join(f"  {json.dumps(each)}" for each in told)
    head = "".join(f" {json.dumps(key)}: {json.dumps(document[key])},\n" for key in ("schema", "judged", "constants"))
    write_whole(Path(output), f'{{\n{head} "engines": [\n{lines}\n ]\n}}\n'.encode())


def _differences(document: dict[str, Any]) -> list[str]:
    from trex.core.printable import printable

    lines = []
    for each in document["engines"]:
        if each["only_predicted"] or each["only_real"]:
            lines += ["", each["engine"]]
            lines += [f"  only predicted: {printable(words)}" for words in each["only_predicted"]]
            lines += [f"  only real: {printable(words)}" for words in each["only_real"]]
    return lines


COMMAND = Command(Options, run)
