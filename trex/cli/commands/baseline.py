"""Runs kept in git to compare later ones with: add one, update one, list them.

A baseline is one plain JSON file, FOLDER/MODEL/GPU/VERSION.json: layers and their times, medians, a part of the samples
(at most a thousand, spread over the run) and how it was measured; no paths, no weights. Of the same files it is the
same file, and its lines differ only where runs do, so that a review shows what changed.

`add` never overwrites: `update` does, and says what changed. `trex compare baseline: NEW` compares with the baseline of
the new engine's model, GPU and TensorRT version; `baseline:MODEL/GPU/VERSION` names another. The folder is --folder,
else what trex.toml says ([compare] baselines = "…"), else baselines. The file is an engine's address for every other
command and for trex.load, too.

examples:
  trex baseline add out/resnet18.engine.graph.json
  trex baseline update out/ --model resnet18-int8
  trex baseline list
  trex compare baseline: out/ --fail-on "latency>+3%"
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import Command
from trex.core.options import option

ADD, UPDATE, LIST = ACTIONS = ("add", "update", "list")


@dataclass(frozen=True)
class Options:
    action: str = option(help="what to do", choices=ACTIONS)
    paths: tuple[str, ...] = option((), "engines: as for every command; none to list", positional=True, many=True)
    folder: str = option("", "where baselines are kept (default: as configured, else baselines)", metavar="FOLDER")
    model: str = option("", "the model's name in the key (default: the engine's)", metavar="NAME")
    config: str = option("", "settings (default: the nearest trex.toml or pyproject.toml)", metavar="FILE")
    json: bool = option(False, "print JSON (schema trex.baselines/1)")


def run(options: Options) -> int:
    from trex.cli.settings import baselines_folder
    from trex.core.errors import TrexError

    folder = baselines_folder(options.folder, options.config)
    if options.action == LIST:
        if options.paths:
            raise TrexError("a list takes no engine", f"trex baseline list --folder {options.paths[0]}")
        return _list(folder, options)
    if not options.paths:
        raise TrexError(f"nothing to {options.action}", f"trex baseline {options.action} PATH")
    if options.model and len(options.paths) > 1:
        raise TrexError("one name is no name for several engines", "add them one by one, each with its --model")
    for path in options.paths:
        _keep(path, folder, options)
    return 0


def _keep(path: str, folder: str, options: Options) -> None:
    from trex.cli import console
    from trex.cli.inputs import load_plan
    from trex.compare.baseline import baseline_document, key_of
    from trex.core.errors import TrexError
    from trex.export.baseline_file import write_baseline
    from trex.plan.baselines import load_baseline, path_of
    from trex.plan.engine_plan import EnginePlan

    plan = load_plan(path)
    key = key_of(plan, options.model)
    file = path_of(folder, key)
    if options.action == ADD and file.exists():
        update = f"trex baseline update {path}"
        raise TrexError(f"{key.text} is there already", f"{update}, or another name: --model NAME", str(file))
    if options.action == UPDATE and not file.exists():
        raise TrexError(f"there is no baseline {key.text} to update", f"trex baseline add {path}", str(file))
    if not plan.is_profiled and plan.query_times is None and not plan.metadata.latency:
        raise TrexError(
            "the engine has no times, so nothing could be compared with it", f"trex doctor {path}", plan.engine.source
        )
    before = load_baseline(EnginePlan, str(file)) if options.action == UPDATE else None
    write_baseline(file, baseline_document(plan, options.model))
    console.say(str(file))
    if before is not None:
        from trex.compare.comparison import compare

        console.say(compare(before, load_baseline(EnginePlan, str(file))).verdict)


def _list(folder: str, options: Options) -> int:
    from trex.cli import console
    from trex.export.frame import plain_value
    from trex.export.text_table import table_lines
    from trex.plan.baselines import list_baselines
    from trex.views.baselines import SCHEMA, baselines_table

    table, notes = baselines_table(list_baselines(folder))
    if options.json:
        console.show_json(plain_value({"schema": SCHEMA, "folder": folder, "baselines": table.records()}))
    elif table.rows:
        console.show(table_lines(table.for_people(), console.width()))
    else:
        console.say(f"No baseline is kept in {folder}; trex baseline add PATH keeps one.")
    console.tell(notes)
    return 0


COMMAND = Command(Options, run)
