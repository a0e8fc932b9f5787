"""What changed between engines, why, and whether it is real: verdict, parity, causes that add up, layers, operations.

BASE and every NEW are each any one of an engine's files, their common stem, a folder, a .tea archive, or example:NAME.
Speed-ups are base over new, above 1 when the new engine is faster; differences in time are new less base, minus is
faster. What is told as real is larger than the samples scatter. Of simulated engines nothing is: their verdict is what
is predicted, with the error bars of the prediction.

More than one NEW: all are compared with BASE and told side by side: which series it is (batch sizes, precisions,
versions, GPUs), how time grows with the batch, and causes and operations of each; a pair alone tells more. The gate is
that of every NEW. --best-of-each writes for quantization tools from which engine each operation is best taken.

BASE may also be baseline:KEY, a run that trex baseline keeps: MODEL/GPU/VERSION or its beginning, the rest as of NEW.

With --fail-on or [compare.limits] in trex.toml, exit code 1 when a time grew by more than is allowed and the growth is
real, and 2 when the files do not allow to tell; what --fail-on says of a metric goes before what the file says. Of two
simulated engines the predicted growth alone decides, and the words say so; of a simulated and a measured one exit code
2 unless the error bars leave no doubt. With --strict, exit code 2 when the runs were not alike (but for what a series
is over) or the GPU is not known.

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
from trex.core.options import count, option

if TYPE_CHECKING:
    from trex.compare.comparison import Comparison
    from trex.compare.gate import Judged
    from trex.compare.series import Series


def _formats() -> Sequence[str]:
    from trex.export.comparison import FORMATS

    return FORMATS.known_names


@dataclass(frozen=True)
class Options:
    base: str = option(help="the engine to compare with")
    new: tuple[str, ...] = option(help="the engines that are compared with it, one or more", many=True)
    strict: bool = option(False, "refuse runs that were not measured alike")
    fail_on: tuple[str, ...] = option(
        (),
        "exit with 1 when this is so and real, or predicted: latency, compute, enqueue or layer:GLOB, >+N% or >+Nms",
        metavar="CONDITION",
        many=True,
    )
    config: str = option("", "settings (default: the nearest trex.toml or pyproject.toml)", metavar="FILE")
    baselines: str = option("", "the folder of baselines (default: as configured, else baselines)", metavar="FOLDER")
    device: str = option(
        "", "the GPU of all, by name, or a file of trex devices (default: as reported)", metavar="NAME"
    )
    onnx: str = option("", "the model they were built from: charges fused time by its operations", metavar="FILE")
    best_of_each: str = option("", "write from which engine each operation is best taken, as JSON", metavar="FILE")
    top: int = option(10, "how many rows of each ranking", flags=("-n",), metavar="N", convert=count)
    explain: bool = option(False, "show how each figure comes about", flags=("-e",))
    json: bool = option(False, "print JSON (schema trex.compare/1)")
    format: str = option("", "how to write it (default: by the ending, else text)", flags=("-f",), choices=_formats)
    output: str = option("", "write to this file; its ending chooses the format", flags=("-o",), metavar="FILE")


def run(options: Options) -> int:
    from trex.cli import console
    from trex.cli.inputs import load_base, load_plan
    from trex.cli.settings import baselines_folder, compare_settings
    from trex.compare.gate import conditions_of
    from trex.compare.series import Series
    from trex.compare.series_gate import judge_all
    from trex.export.comparison import FORMATS, ComparisonStyle, format_of, write_comparison
    from trex.export.performance_text import performance_lines
    from trex.perf.recognize import find_device
    from trex.views.comparison.reading import read_series
    from trex.views.performance.section import Detail

    format = options.format or ("json" if options.json else "")
    if options.output and not format:
        format_of(options.output)  # a wrong ending is told before any work
    conditions_of(options.fail_on)  # a wrong one is told before any work
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
        reading = read_series(series, Detail(options.top, options.explain), judged)
    if options.best_of_each:
        _write_best(series, options.best_of_each)
    style = ComparisonStyle()
    if options.output:
        console.say(str(write_comparison(reading, options.output, style, format)))
    elif format and format != "text":
        _print(FORMATS.chosen(format).value.render(reading, style))
    else:
        console.show(performance_lines(reading, console.width()))
    return _code(judged)


def _write_best(series: Series, path: str) -> None:
    from trex.cli import console
    from trex.compare.best_of_each import best_of_each
    from trex.export.files import write_file
    from trex.export.frame import json_text, plain_value
    from trex.views.comparison.best_of_each import best_of_each_data

    with console.patience("choosing the best of each operation"):
        data = best_of_each_data(best_of_each(series))
    file = write_file(path, json_text(plain_value(data), indent=1) + "\n")
    console.complain(f"best of each operation: {file}")


def _print(content: str | bytes) -> None:
    from trex.cli import console

    console.write(content) if isinstance(content, str) else console.write_bytes(content)


def _refuse(comparison: Comparison, name: str, expected: frozenset[str]) -> None:
    """Raises TrexError when the runs are not alike but for what a series is over, or nobody can say so."""
    from trex.core.errors import TrexError

    refusals = [each for each in comparison.parity.refusals if each.what not in expected]
    if refusals:
        told = "; ".join(each.words for each in refusals)
        raise TrexError(f"{name}the runs were not measured alike: {told}", "measure both alike, or leave out --strict")


def _code(judged: Sequence[Judged]) -> int:
    from trex.cli.main import DONE, FINDINGS, TO_MEND
    from trex.compare.gate import Judgment

    judgments = {each.judgment for each in judged}
    if Judgment.FAILED in judgments:
        return FINDINGS
    return TO_MEND if Judgment.CANNOT_TELL in judgments else DONE


COMMAND = Command(Options, run)
