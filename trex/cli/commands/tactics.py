"""What the builder timed, chose and skipped, and where the build's time went; or how two builds differ.

PATH is a verbose log, or an engine's folder, file or .tea archive with its build log; also a timing cache or a record
of tactics (trex cache has more for these), or the JSON lines of trtexec's tuner (TensorRT 11, --tuningCacheFile). Near
ties are choices whose runner-up was at most 2 % slower: the next build may choose it. Durations are those that TensorRT
prints since 8.6; older logs have only clocks in whole seconds. The log has one choice for each combination of formats
of a layer; those that the engine uses are found by the list of its layers at the end of the log.

With NEW, the choices of two builds are compared: which differ, which of these are ties, and whether the GPU, TensorRT,
options, layers, types or shapes differed. The exit code is 0 if every choice is the same, else 1.

examples:
  trex tactics build.log
  trex tactics build.log --layer "Conv_5*"
  trex tactics build.log --build 2 -v
  trex tactics monday.log tuesday.log
  trex tactics build.log timing.cache
  trex tactics out/ --json > tactics.json
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trex.cli import console
from trex.cli.command import DONE, FINDINGS, INCONCLUSIVE, Command
from trex.cli.output import OutputOptions
from trex.core.errors import TrexError
from trex.core.options import count, option
from trex.views.document import Document

if TYPE_CHECKING:
    from trex.builder.tactics import Tactics
    from trex.core.timing_cache import TimingCache
    from trex.core.tuning_log import TuningLog

_ALL = 1 << 30


@dataclass(frozen=True, kw_only=True)
class TacticsOptions(OutputOptions):
    path: str = option(help="a verbose log, a folder or file of an engine, a timing cache", metavar="PATH")
    new: str = option("", "another one, to compare with PATH", metavar="NEW", positional=True)
    build: int = option(
        0,
        "which build of the log (default: all, at most 50; with NEW the last)",
        flags=("-b",),
        metavar="N",
        convert=count,
    )
    layer: str = option("", "every candidate of these layers or ONNX nodes", flags=("-l",), metavar="GLOB")
    top: int = option(5, "rows per ranking", flags=("-n",), metavar="N", convert=count)


def run(options: TacticsOptions) -> tuple[Document, int]:
    if options.new and options.layer:
        raise TrexError("--layer shows one log", "without NEW, or without --layer")
    with console.patience(f"reading {options.path}"):
        base = _load(options.path)
        document, code = _compared(base, _load(options.new), options) if options.new else _one(base, options)
    return replace(document, command="tactics"), code


def _load(path: str) -> Tactics | TimingCache | TuningLog:
    from trex.builder.loading import load_build_record

    return load_build_record(path)


def _one(source: Tactics | TimingCache | TuningLog, options: TacticsOptions) -> tuple[Document, int]:
    from trex.core.timing_cache import TimingCache
    from trex.core.tuning_log import TuningLog
    from trex.views.tactics import tactics_document
    from trex.views.timing_cache import cache_document
    from trex.views.tuning import tuning_document

    if (options.layer or options.build) and isinstance(source, TuningLog | TimingCache):
        raise TrexError("--layer and --build are for a log of a build", "leave them out", source.source)
    if isinstance(source, TuningLog):
        return tuning_document(source, _top(options)), DONE
    if isinstance(source, TimingCache):
        return cache_document(source, options.top), DONE
    build = options.build - 1 if options.build else None
    is_short = not options.shows_all
    return tactics_document(source, build, _top(options), options.layer, is_short=is_short), DONE


def _top(options: TacticsOptions) -> int:
    return _ALL if options.shows_all else options.top


def _compared(
    base: Tactics | TimingCache | TuningLog, new: Tactics | TimingCache | TuningLog, options: TacticsOptions
) -> tuple[Document, int]:
    """Logs by layer and formats, caches by key, a log and a cache by key or by runner and tactic."""
    from trex.builder.tactic_changes import TacticChanges
    from trex.builder.tactics import Tactics
    from trex.builder.timing_cache_check import TacticOutcome, check_log
    from trex.builder.timing_cache_diff import TimingCacheDiff
    from trex.core.tuning_log import TuningLog
    from trex.views.tactic_changes import tactic_changes_document
    from trex.views.timing_cache import check_document, diff_document

    for side in (base, new):
        if isinstance(side, TuningLog):
            raise TrexError("a log of the tuner is shown alone", "compare engines: trex compare BASE NEW", side.source)
    assert not isinstance(base, TuningLog) and not isinstance(new, TuningLog)
    top = _top(options)
    if isinstance(base, Tactics) and isinstance(new, Tactics):
        changes = TacticChanges(base, new, _build(base, options), _build(new, options))
        code = DONE if changes.is_same else FINDINGS
        return tactic_changes_document(changes, top), code if changes.common else INCONCLUSIVE
    if isinstance(base, Tactics) or isinstance(new, Tactics):
        log, cache, path = (base, new, options.path) if isinstance(base, Tactics) else (new, base, options.new)
        assert isinstance(log, Tactics)
        assert not isinstance(cache, Tactics)
        check = check_log(cache, log.log, _build(log, options))
        codes = {TacticOutcome.SAME: DONE, TacticOutcome.DIFFERS: FINDINGS, TacticOutcome.INCONCLUSIVE: INCONCLUSIVE}
        return check_document(check, path, cache, top), codes[check.outcome]
    diff = TimingCacheDiff(base, new)
    code = DONE if diff.is_same else FINDINGS
    return diff_document(diff, top), code if diff.common else INCONCLUSIVE


def _build(tactics: Tactics, options: TacticsOptions) -> int | None:
    """The index of the build that is asked for, None if none is."""
    from trex.views.tactics import checked_build

    return checked_build(tactics, options.build - 1) if options.build else None


COMMAND = Command(
    TacticsOptions, run, exit_codes="0 done, same · 1 choices differ · 2 usage or input error · 3 nothing to compare"
)
