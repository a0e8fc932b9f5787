"""What the builder timed, chose and skipped, and where the build's time went, from a verbose log.

PATH is a verbose log, or an engine's folder, file or .tea archive with its build log. Near ties are choices whose
runner-up was at most 2 % slower: the next build may choose it. Durations are those that TensorRT prints since 8.6;
older logs have only clocks in whole seconds. The log has one choice for each combination of formats of a layer; those
that the engine uses are found by its list of layers at the end of the log.

examples:
  trex tactics build.log
  trex tactics build.log --layer "Conv_5*"
  trex tactics build.log --build 2 -v
  trex tactics out/ --json > tactics.json
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli import console
from trex.cli.command import DONE, Command
from trex.cli.output import OutputOptions
from trex.core.options import count, option
from trex.views.document import Document

_ALL = 1 << 30


@dataclass(frozen=True, kw_only=True)
class TacticsOptions(OutputOptions):
    path: str = option(help="a verbose build log, or an engine's folder or file with one", metavar="PATH")
    build: int = option(0, "which build of the log (default: all of them)", flags=("-b",), metavar="N", convert=count)
    layer: str = option("", "every candidate of these layers or ONNX nodes", flags=("-l",), metavar="GLOB")
    top: int = option(5, "rows per ranking", flags=("-n",), metavar="N", convert=count)


def run(options: TacticsOptions) -> tuple[Document, int]:
    from trex.builder.loading import load_tactics
    from trex.views.tactics import tactics_document

    with console.patience(f"reading {options.path}"):
        tactics = load_tactics(options.path)
        build = options.build - 1 if options.build else None
        is_short = not options.shows_all
        top = options.top if is_short else _ALL
        return tactics_document(tactics, build, top, options.layer, is_short=is_short), DONE


COMMAND = Command(TacticsOptions, run)
