"""Compare engines: which is faster, whether that is significant, and why.

BASE and every NEW are any one of an engine's files, their common stem, a folder, a .tea archive, or example:NAME.
Speed-ups are base over new, above 1 if the new engine is faster. Differences are new minus base, minus is faster.
Simulated engines are compared by their predicted times, with the error bars of the prediction.

Several NEW engines are each compared with BASE, side by side: what varies (batch sizes, precisions, versions, GPUs),
how time grows with the batch, causes and operations. A single pair shows more detail. The gate applies to every NEW.
--best-of-each writes the fastest engine per operation, for quantization tools.

BASE may also be baseline:KEY, a run kept by trex baseline: MODEL/GPU/VERSION or its beginning, completed from NEW.
Each may be store:ID, a run of the store, and BASE store:latest,NAME=VALUE,…: the latest run with the model, GPU, origin
of times, precision, batch and shapes of NEW, and with these columns or labels.

Two runs show how inferences scatter within them, not how runs differ. Repeat the runs and give all of them: one folder
per engine that contains them, or BASE … --vs NEW …. The spread between the runs then decides what is significant.

If unchanged kernels show that the machines or clocks differ by more than 10 %, the first line says so, and no speed-up
and no causes follow. Engines of different models have no causes either, and the exit code is 2.

The gate: with --fail-on or [compare.limits] in trex.toml, the exit code is 1 if a metric regressed by more than its
threshold and significantly, and 3 if that cannot be judged: insufficient data, an uncertainty above the threshold, or
machines that differ. --fail-on overrides the file per metric. Two simulated engines are judged by the predicted
regression; for a simulated and a measured one, the result is inconclusive unless the error bars are on one side of the
threshold. With --strict, the exit code is 2 if run settings differ (except those that a series varies) or the GPU is
unknown. A gate that does not pass also prints one line to standard error.

examples:
  trex compare example:resnet18-int8 example:resnet18-int8-residual
  trex compare before/ after/ --top 20 --explain
  trex compare before/ after/ --strict --fail-on "latency>+3%" "layer:gemm*>+10%"
  trex compare before/ after/ -o comparison.md
  trex compare fp16/ int8/ int8-residual/ --best-of-each operations.json
  trex compare baseline: after/ --fail-on "latency>+3%"
  trex compare store:latest after/ --fail-on "latency>+3%"
  trex compare before1/ before2/ before3/ --vs after1/ after2/ after3/ --fail-on "p99>+5%"
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.cli import console
from trex.cli.command import DONE, FINDINGS, INCONCLUSIVE, USAGE_ERROR, Command
from trex.cli.inputs import DEVICE_HELP, load_base, load_runs, named_device
from trex.cli.output import OutputOptions, write_output
from trex.cli.settings import CONFIG_HELP, baselines_folder, compare_settings
from trex.core.errors import TrexError
from trex.core.options import count, option
from trex.core.printable import printable
from trex.core.steps import counter
from trex.views.document import Detail, Document

if TYPE_CHECKING:
    from trex.compare.gate import GateResult
    from trex.compare.plan_diff import PlanDiff
    from trex.compare.series import EngineSeries
    from trex.core.configuration import CompareConfiguration
    from trex.plan.engine_plan import EnginePlan


@dataclass(frozen=True, kw_only=True)
class CompareOptions(OutputOptions):
    base: str = option(help="the engine to compare with")
    new: tuple[str, ...] = option((), "one or more engines to compare with it", positional=True, many=True)
    vs: tuple[str, ...] = option(
        (), "runs of the new engine; all others are runs of the base", metavar="NEW", many=True
    )
    strict: bool = option(False, "refuse runs whose settings differ")
    fail_on: tuple[str, ...] = option(
        (),
        "fail on METRIC>+N%, as latency>+3%; a wrong METRIC is answered with all of them",
        metavar="CONDITION",
        many=True,
    )
    config: str = option("", CONFIG_HELP, metavar="FILE")
    baselines: str = option("", "folder of baselines (default: as configured, else baselines)", metavar="FOLDER")
    device: str = option("", DEVICE_HELP, metavar="NAME")
    onnx: str = option("", "the ONNX model, to attribute fused time to its operations", metavar="FILE")
    best_of_each: str = option("", "write the fastest engine per operation as JSON", metavar="FILE")
    top: int = option(5, "rows per ranking", flags=("-n",), metavar="N", convert=count)
    explain: bool = option(False, "show details and how figures are computed", flags=("-e",))

    @property
    def shows_details(self) -> bool:
        return self.verbose or self.explain


def run(options: CompareOptions) -> tuple[Document, int]:
    from trex.compare.condition import check_limits, conditions_of
    from trex.compare.gate import judge_all
    from trex.compare.repeated_runs import middle_first
    from trex.compare.series import EngineSeries
    from trex.views.compare.document import on_one_screen, series_document

    conditions_of(options.fail_on)  # a wrong condition is an error before any work
    settings = compare_settings(options.config)
    check_limits(settings)
    device = named_device(options.device)
    base, *new = [middle_first(runs, device) for runs in _runs(options)]
    news = [runs[0] for runs in new]
    series = EngineSeries(base[0], news, device, [runs[1:] for runs in (base, *new)])
    conditions = [conditions_of(options.fail_on, settings.limits_for(new.name)) for new in news]
    if options.strict:
        for name, comparison in zip(series.names[1:], series.comparisons, strict=True):
            _refuse(
                comparison, "" if len(news) == 1 else f"{name}: ", series.expected if len(news) > 1 else frozenset()
            )
    with console.patience("comparing"):
        judged = judge_all(series, conditions)
        if options.best_of_each:
            _write_best(series, options.best_of_each)
        document = series_document(series, Detail(options.top, options.explain, not options.shows_all), judged)
    _complain(judged)
    unjudged = [plan.name for plan, own in zip(news, conditions, strict=True) if not own]
    _complain_of_globs(settings, [name for name in unjudged if not settings.sections_for(name)])
    other = next((comparison for comparison in series.comparisons if comparison.is_other_model), None)
    if other is not None:
        console.complain(f"trex compare: {other.withheld}")
        return document if options.shows_all else on_one_screen(document), USAGE_ERROR
    return document if options.shows_all else on_one_screen(document), _code(judged)


def _runs(options: CompareOptions) -> list[Sequence[EnginePlan]]:
    """The runs of the base, then those of every new engine; raises TrexError without a new one."""
    paths = options.vs or options.new
    if not paths:
        raise TrexError(
            "there is no engine to compare with", "trex compare BASE NEW, or trex compare BASE … --vs NEW …"
        )
    folder = baselines_folder(options.baselines, options.config)
    bases = [options.base, *(options.new if options.vs else ())]
    with console.patience("reading"), counter("engine", len(paths) + len(bases)) as begin:
        news: list[Sequence[EnginePlan]] = []
        for path in paths:
            begin()
            news.append(load_runs(path, options.onnx))
        base: list[EnginePlan] = []
        for path in bases:
            begin()
            base += load_base(path, news[0][0], folder, options.onnx)
    return [base, [run for runs in news for run in runs]] if options.vs else [base, *news]


def _complain_of_globs(settings: CompareConfiguration, unjudged: Sequence[str]) -> None:
    """One line on standard error if limits are of engines of other names alone: a renamed one would pass unseen."""
    if settings.engines and unjudged:
        globs = ", ".join(repr(glob) for glob, _ in settings.engines[:4])
        names = ", ".join(printable(name)[:80] for name in unjudged[:4])
        console.complain(f"trex compare: {settings.where}: nothing is judged of {names}: its sections are for {globs}")


def _complain(judged: Sequence[GateResult]) -> None:
    """One line on standard error if the gate does not pass."""
    from trex.compare.gate import GateStatus

    failed = [result for result in judged if result.status is GateStatus.FAILED]
    unknown = [result for result in judged if result.status is GateStatus.INCONCLUSIVE]
    if failed or unknown:
        first = (failed or unknown)[0]
        counts = f"{len(failed)} failed, {len(unknown)} inconclusive"
        console.complain(f"trex compare: gate {'failed' if failed else 'inconclusive'} ({counts}): {first.words}")


def _write_best(series: EngineSeries, path: str) -> None:
    from trex.compare.best_of_each import best_of_each
    from trex.export.frame import json_text, plain_value
    from trex.views.compare.best_of_each import best_of_each_data

    data = best_of_each_data(best_of_each(series))
    if file := write_output(path, json_text(plain_value(data), indent=1) + "\n"):
        console.complain(f"best of each operation: {file}")


def _refuse(comparison: PlanDiff, name: str, expected: frozenset[str]) -> None:
    """Raises TrexError if settings differ, except those that a series varies, or essential ones are unknown."""
    refusals = [refusal for refusal in comparison.parity.refusals if refusal.name not in expected]
    if refusals:
        words = "; ".join(refusal.words for refusal in refusals)
        raise TrexError(f"{name}run settings differ: {words}", "measure both with equal settings, or omit --strict")


def _code(judged: Sequence[GateResult]) -> int:
    from trex.compare.gate import GateStatus

    statuses = {result.status for result in judged}
    if GateStatus.FAILED in statuses:
        return FINDINGS
    return INCONCLUSIVE if GateStatus.INCONCLUSIVE in statuses else DONE


COMMAND = Command(
    CompareOptions,
    run,
    exit_codes="0 done, gate passed · 1 gate failed · 2 usage or input error · 3 gate inconclusive",
)
