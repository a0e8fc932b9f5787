"""Kept runs to compare later ones with: add one, update one, list them.

A baseline is one JSON file, FOLDER/MODEL/GPU/VERSION.json, made to be kept in git: layers and their times, medians, a
sample of the per-query times and the run's settings; no paths, no weights. Output is deterministic.

A run whose files name no GPU or no TensorRT version needs --device or --version: both are part of the key.

`add` never overwrites; `update` does, and prints what changed. `trex compare baseline: NEW` compares with the baseline
of the new engine's model, GPU and TensorRT version; `baseline:MODEL/GPU/VERSION` names another. Every command takes the
file as an engine.

examples:
  trex baseline add out/resnet18.engine.graph.json
  trex baseline update out/ --model resnet18-int8
  trex baseline list
  trex compare baseline: out/ --fail-on "latency>+3%"
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.cli.action_options import check_options
from trex.cli.command import Command
from trex.cli.inputs import load_plan
from trex.cli.output import OutputOptions
from trex.cli.settings import CONFIG_HELP, baselines_folder
from trex.core.errors import TrexError
from trex.core.options import option
from trex.core.printable import shell_word
from trex.views.document import Document

if TYPE_CHECKING:
    from pathlib import Path

    from trex.plan.engine_plan import EnginePlan

ADD, UPDATE, LIST = ACTIONS = ("add", "update", "list")


@dataclass(frozen=True, kw_only=True)
class BaselineOptions(OutputOptions):
    action: str = option(help="what to do", choices=ACTIONS)
    paths: tuple[str, ...] = option((), "engines to add or update", positional=True, many=True)
    folder: str = option("", "where baselines are (default: as configured, else baselines)", metavar="FOLDER")
    model: str = option("", "the model's name in the key (default: the engine's)", metavar="NAME")
    device: str = option("", "the GPU's name in the key (default: as the files name it)", metavar="NAME")
    version: str = option("", "the TensorRT version in the key (default: as in the files)", metavar="VERSION")
    config: str = option("", CONFIG_HELP, metavar="FILE")


def run(options: BaselineOptions) -> Document:
    from trex.plan.baselines import baselines_in
    from trex.views.baselines import baselines_document

    folder = baselines_folder(options.folder, options.config)
    if options.action == LIST:
        if options.paths:
            raise TrexError("list takes no engine", f"trex baseline list --folder {shell_word(options.paths[0])}")
        check_options(options, "baseline", LIST, ("folder", "config"))
        return baselines_document(folder, baselines_in(folder))
    if not options.paths:
        raise TrexError(f"nothing to {options.action}", f"trex baseline {options.action} PATH")
    if options.model and len(options.paths) > 1:
        raise TrexError("--model names one engine, and there are several", "add them one by one")
    return _keep(folder, options)


def _keep(folder: str, options: BaselineOptions) -> Document:
    """Every engine is checked before the first file is written."""
    from trex.compare.baseline import baseline_document
    from trex.export.baseline_file import write_baseline
    from trex.perf.performance import Performance
    from trex.views.baselines import kept_document

    checked = [_checked(path, folder, options) for path in options.paths]
    path_of_file: dict[Path, str] = {}
    for path, (_, file, _) in zip(options.paths, checked, strict=True):
        if first := path_of_file.get(file):
            text = f"two of the engines would be one baseline: {first} and {path}"
            raise TrexError(text, "add them one by one, each with its own --model NAME", str(file))
        path_of_file[file] = path
    kept = []
    for plan, file, before in checked:
        document = baseline_document(plan, options.model, options.device, options.version)
        write_baseline(file, document, is_new=options.action == ADD)
        kept.append((str(file), _change(before, file)))
    notes = dict.fromkeys(note for plan, *_ in checked for note in Performance(plan).wrong_layer_times)
    return kept_document(options.action, kept, tuple(notes))


def _checked(path: str, folder: str, options: BaselineOptions) -> tuple[EnginePlan, Path, EnginePlan | None]:
    """(engine, file to write, the baseline it replaces). Raises TrexError for an engine that can't be kept."""
    from trex.compare.baseline import key_of
    from trex.core.baseline_key import UNKNOWN_GPU, UNKNOWN_VERSION
    from trex.perf.performance import Performance
    from trex.plan.baselines import load_baseline, path_of
    from trex.plan.engine_plan import EnginePlan

    plan = load_plan(path)
    if not plan.is_profiled and plan.query_times is None and not plan.metadata.latency:
        raise TrexError(
            "the engine has no times to compare with", f"trex doctor {shell_word(path)}", plan.engine.source
        )
    performance = Performance(plan)
    if contradicted := performance.contradicted:
        note = contradicted[0]
        raise TrexError(f"the times of the engine can't be trusted: {note.message}", note.hint, note.where)
    if lost := performance.lost:
        raise TrexError(f"layers of the engine are missing: {lost[0].message}", lost[0].hint, lost[0].where)
    key = key_of(plan, options.model, options.device, options.version)
    missing = {"GPU": "--device NAME"} if key.gpu == UNKNOWN_GPU else {}
    missing |= {"TensorRT version": "--version VERSION"} if key.version == UNKNOWN_VERSION else {}
    if missing:
        hint = f"trex baseline {options.action} {shell_word(path)} {' '.join(missing.values())}"
        raise TrexError(f"the engine's files don't name its {' and its '.join(missing)}", hint, plan.engine.source)
    file = path_of(folder, key)
    if options.action == ADD and file.exists():
        update = f"trex baseline update {shell_word(path)}"
        raise TrexError(f"the baseline {key.text} exists", f"{update}, or choose another name: --model NAME", str(file))
    if options.action == UPDATE and not file.exists():
        raise TrexError(
            f"there is no baseline {key.text} to update", f"trex baseline add {shell_word(path)}", str(file)
        )
    before = None
    if options.action == UPDATE:
        with suppress(TrexError):  # a damaged one is what an update replaces
            before = load_baseline(EnginePlan, str(file))
    return plan, file, before


def _change(before: EnginePlan | None, file: Path) -> str:
    """What an update changed, empty for a new baseline."""
    if before is None:
        return ""
    from trex.compare.plan_diff import PlanDiff
    from trex.plan.baselines import load_baseline
    from trex.plan.engine_plan import EnginePlan

    return PlanDiff(before, load_baseline(EnginePlan, str(file))).verdict


COMMAND = Command(BaselineOptions, run)
