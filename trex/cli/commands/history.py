"""Follow a model over time: what changed, since when, with which confidence, and which layers caused it.

MODEL is the model's name in the store (trex store list), an engine's name, or the beginning of the ONNX model's
SHA-256. Runs come from the store: trex store add, trex sweep.

One series never mixes GPUs, origins of times (measured, predicted, simulated), precisions, batches, shapes, build
options or labels. By commit, it also has one TensorRT release and driver; by tensorrt or driver, one model.

A change is a level that at least two runs have. 1 % of the series without any change show one by chance:
docs/history.md says how this was measured. The last run alone is reported as not confirmed. With --fail-on-change the
exit code is 1 if the last change of a series is for the worse, and 3 if no series of times can be judged, or the newest
runs lack a value that earlier ones have, or have another precision or build option.

examples:
  trex history resnet18
  trex history resnet18 --by commit --repository ../model
  trex history resnet18 --by tensorrt --metric latency memory
  trex history resnet18 --json --fields sections.changes.tables
  trex history resnet18 -o history.html
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli import console
from trex.cli.command import DONE, FINDINGS, INCONCLUSIVE, Command
from trex.cli.output import OutputOptions
from trex.cli.stores import STORE_HELP, open_store
from trex.core.options import count, option
from trex.views.document import Document


@dataclass(frozen=True, kw_only=True)
class HistoryOptions(OutputOptions):
    model: str = option(help="the model's name, or the beginning of its hash")
    store: str = option("", STORE_HELP, metavar="FOLDER")
    by: str = option("made_at", "made_at, commit, tensorrt, driver, or a label's name", metavar="AXIS")
    metric: tuple[str, ...] = option((), "only these metrics (default: all)", metavar="NAME", many=True)
    repository: str = option(".", "the git repository of the commits", metavar="FOLDER")
    top: int = option(3, "changes to describe", flags=("-n",), metavar="N", convert=count)
    fail_on_change: bool = option(False, "exit code 1 if the last change of a series is for the worse")


def run(options: HistoryOptions) -> tuple[Document, int]:
    from trex.store.change_causes import causes_of
    from trex.store.history import history_of
    from trex.views.history import history_document

    store = open_store(options.store)
    with console.patience("reading the store"):
        history = history_of(store, options.model, options.by, options.metric, options.repository)
        events = history.events
    with console.patience("comparing"):
        causes = causes_of(store, events[: options.top])
        document = history_document(history, causes, options.top, is_short=not options.shows_all, store=options.store)
    is_worse = any(
        series.changes and series.metric.is_worse(series.changes[-1].change_pct) for series in history.series
    )
    if not options.fail_on_change:
        return document, DONE
    return document, FINDINGS if is_worse else DONE if history.is_judged and not history.is_behind else INCONCLUSIVE


COMMAND = Command(HistoryOptions, run)
