"""What changed between engines, why, and whether it is real: verdict, causes that add up, largest changes.

BASE and every NEW are any file of an engine, a stem, a folder, a .tea archive, or example:NAME. Speed-ups are base over
new: above 1, the new engine is faster. Differences in time are new less base: minus is faster. A difference is real
when it is larger than the scatter of the samples. Of simulated engines the verdict is a prediction with its error bars.

More than one NEW: all are compared with BASE side by side: what the series is over (batch sizes, precisions, versions,
GPUs), how time grows with the batch, causes and operations of each. The gate checks every NEW. --best-of-each writes,
for quantization tools, which engine is best for each operation.

BASE may also be baseline:KEY, a run kept by trex baseline: MODEL/GPU/VERSION or its beginning, the rest as of NEW.

With --fail-on or [compare.limits] in trex.toml, the exit code is 1 when a time grew by more than is allowed and the
growth is real, and 2 when the data is insufficient; --fail-on takes precedence over the file. Of two simulated engines
the predicted growth decides; of a simulated and a measured one the exit code is 2 unless the error bars leave no doubt.
With --strict, it is 2 when the runs are not comparable (except for what a series is over) or the GPU is unknown.

examples:
  trex compare example:resnet18-int8 example:resnet18-int8-residual
  trex compare before/ after/ --top 20 --explain
  trex compare before/ after/ --strict --fail-on "latency>+3%" "layer:gemm*>+10%"
  trex compare before/ after/ -o comparison.md
  trex compare fp16/ int8/ int8-residual/ --best-of-each operations.json
  trex compare baseline: after/ --fail-on "latency>+3%"
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.cli.command import Command
from trex.cli.inputs import DEVICE_HELP
from trex.cli.output import OutputOptions
from trex.cli.settings import CONFIG_HELP
from trex.core.options import count, option

if TYPE_CHECKING:
    from trex.compare.comparison import Comparison
    from trex.compare.gate import Judged
    from trex.compare.series import Series


@dataclass(frozen=True, kw_only=True)
class CompareOptions(OutputOptions):
    base: str = option(help="the engine to compare with")
    new: tuple[str, ...] = option(help="one or more engines to compare with it", many=True)
    strict: bool = option(False, "refuse runs that were not measured in the same way")
    fail_on: tuple[str, ...] = option(
        (), "exit with 1 if so: latency, compute, enqueue or layer:GLOB, >+N% or >+Nms", metavar="CONDITION", many=True
    )
    config: str = option("", CONFIG_HELP, metavar="FILE")
    baselines: str = option("", "folder of baselines (default: as configured, else baselines)", metavar="FOLDER")
    device: str = option("", DEVICE_HELP, metavar="NAME")
    onnx: str = option("", "the ONNX model: charges fused time by its operations", metavar="FILE")
    best_of_each: str = option("", "write which engine is best for each operation", metavar="FILE")
    top: int = option(10, "rows of each ranking", flags=("-n",), metavar="N", convert=count)
    explain: bool = option(False, "show how each figure is computed", flags=("-e",))


def run(options: CompareOptions) -> int:
    from trex.cli import console
    from trex.cli.inputs import load_base, load_plan
    from trex.cli.output import check_output, show_document
    from trex.cli.settings import baselines_folder, compare_settings
    from trex.compare.gate import conditions_of
    from trex.compare.series import Series
    from trex.compare.series_gate import judge_all
    from trex.perf.recognize import find_device
    from trex.views.comparison.document import series_document, without_pairs
    from trex.views.document import Detail

    name = check_output(options, "compare")
    conditions_of(options.fail_on)  # a wrong condition is an error before any work
    settings = compare_settings(options.config)
    device = find_device(options.device) if options.device else None
    news = [load_plan(path, onnx=options.onnx) for path in options.new]
    base = load_base(options.base, news[0], baselines_folder(options.baselines, options.config), options.onnx)
    series = Series(base, news, device)
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
        document = series_document(series, Detail(options.top, options.explain), judged)
        show_document(document if name or options.verbose else without_pairs(document), options)
    return _code(judged)


def _write_best(series: Series, path: str) -> None:
    from trex.cli import console
    from trex.compare.best_of_each import best_of_each
    from trex.export.files import write_file
    from trex.export.frame import json_text, plain_value
    from trex.views.comparison.best_of_each import best_of_each_data

    data = best_of_each_data(best_of_each(series))
    file = write_file(path, json_text(plain_value(data), indent=1) + "\n")
    console.complain(f"best of each operation: {file}")


def _refuse(comparison: Comparison, name: str, expected: frozenset[str]) -> None:
    """Raises TrexError when the runs differ in more than what a series is over, or it is unknown whether they do."""
    from trex.core.errors import TrexError

    refusals = [refusal for refusal in comparison.parity.refusals if refusal.what not in expected]
    if refusals:
        reasons = "; ".join(refusal.words for refusal in refusals)
        raise TrexError(
            f"{name}the runs are not comparable: {reasons}", "measure both in the same way, or leave out --strict"
        )


def _code(judged: Sequence[Judged]) -> int:
    from trex.cli.main import DONE, FINDINGS, USAGE_ERROR
    from trex.compare.gate import Judgment

    judgments = {result.judgment for result in judged}
    if Judgment.FAILED in judgments:
        return FINDINGS
    return USAGE_ERROR if Judgment.CANNOT_TELL in judgments else DONE


COMMAND = Command(CompareOptions, run)
