"""What is in a timing cache: the tactic of each operation; compare, merge, check a build against it.

A timing cache is what trtexec's --timingCacheFile writes. Every action takes caches, records of tactics (JSON, one
operation per line, made for git: --save, `trex process --record-tactics`) and the --json of `trex cache show`.

  show CACHE             header, runners, slowest operations; -v lists all
  diff BASE NEW          which operations have another tactic, and which are ties (times within 2 %)
  merge BASE NEW         the tactics of both as one record; BASE wins where they disagree
  verify BUILD CACHE     did a build use the recorded tactics? BUILD: an engine, a verbose log, or its own record

Only builds of one GPU model and one TensorRT release share tactics; merge and verify refuse others. A verbose log has
keys only from a build with an editable timing cache (`trex process --record-tactics`), and an engine never has: without
keys, verify can refute but not prove.

examples:
  trex cache show timing.cache
  trex cache show timing.cache --save tactics.json
  trex cache diff tactics.json timing.cache
  trex cache merge a.cache b.cache --save both.json
  trex cache verify out/ tactics.json
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.cli import console
from trex.cli.action_options import check_options
from trex.cli.command import DONE, FINDINGS, INCONCLUSIVE, Command
from trex.cli.inputs import load_plan
from trex.cli.output import OutputOptions, write_output
from trex.core.errors import TrexError
from trex.core.options import count, option
from trex.views.document import Document

if TYPE_CHECKING:
    from trex.builder.timing_cache_check import TacticCheck
    from trex.core.build_log import BuildLog
    from trex.core.timing_cache import TimingCache

SHOW, DIFF, MERGE, VERIFY = ACTIONS = ("show", "diff", "merge", "verify")
_PATHS = {SHOW: ("CACHE",), DIFF: ("BASE", "NEW"), MERGE: ("BASE", "NEW"), VERIFY: ("BUILD", "CACHE")}
_USED = {SHOW: ("save", "log", "top"), DIFF: ("top",), MERGE: ("save", "force"), VERIFY: ("top",)}


@dataclass(frozen=True, kw_only=True)
class CacheOptions(OutputOptions):
    action: str = option(help="what to do", choices=ACTIONS)
    paths: tuple[str, ...] = option((), "one cache or record, or two of them", positional=True, many=True)
    save: str = option("", "write the tactics as a record, for git (show, merge)", metavar="FILE")
    log: str = option("", "a verbose log with keys, which names the operations (show)", metavar="FILE")
    force: bool = option(False, "merge what is of two GPUs or releases, or does not say")
    top: int = option(
        10,
        "how many operations to list: the slowest, the largest differences",
        flags=("-n",),
        metavar="N",
        convert=count,
    )


def run(options: CacheOptions) -> Document | tuple[Document, int]:
    from trex.ingest.timing_cache import load_timing_cache

    action, words = options.action, _PATHS[options.action]
    if len(options.paths) != len(words):
        raise TrexError(f"{action} takes {' and '.join(words)}", f"trex cache {action} {' '.join(words)}")
    check_options(options, "cache", action, _USED[action])
    if action == VERIFY:
        build, path = options.paths
        return _verify(build, path, options.top)
    caches = [load_timing_cache(path) for path in options.paths]
    if action == SHOW:
        return _show(caches[0], options)
    base, new = caches
    return _diff(base, new, options.top) if action == DIFF else _merge(base, new, options)


def _show(cache: TimingCache, options: CacheOptions) -> Document:
    from trex.builder.timing_cache_frame import keyed_tactics
    from trex.views.timing_cache import cache_document

    names = {}
    if options.log:
        log = _build_log(options.log)
        names = {} if log is None else {key: name for key, (name, _) in keyed_tactics(log).items()}
        if not names:
            hint = "trex process --record-tactics writes one: BUILD.engine.build.log"
            raise TrexError("this log has no keys of a timing cache", hint, options.log)
    _save(cache, options)
    return cache_document(cache, options.top, names)


def _diff(base: TimingCache, new: TimingCache, top: int) -> tuple[Document, int]:
    from trex.builder.timing_cache_diff import TimingCacheDiff
    from trex.views.timing_cache import diff_document

    diff = TimingCacheDiff(base, new)
    if not diff.common:
        return diff_document(diff, top), INCONCLUSIVE
    return diff_document(diff, top), DONE if diff.is_same else FINDINGS


def _merge(base: TimingCache, new: TimingCache, options: CacheOptions) -> tuple[Document, int]:
    from trex.builder.timing_cache_merge import merge_caches
    from trex.views.timing_cache import merged_document

    merged = merge_caches(base, new, options.force)
    _save(merged.cache, options)
    return merged_document(merged, base, new), FINDINGS if merged.conflicts else DONE


def _verify(build: str, path: str, top: int) -> tuple[Document, int]:
    from trex.builder.timing_cache_check import TacticOutcome
    from trex.ingest.timing_cache import load_timing_cache
    from trex.views.timing_cache import check_document

    cache = load_timing_cache(path)
    check = _check(build, cache)
    codes = {TacticOutcome.SAME: DONE, TacticOutcome.DIFFERS: FINDINGS, TacticOutcome.INCONCLUSIVE: INCONCLUSIVE}
    return check_document(check, build, cache, top), codes[check.outcome]


def _check(build: str, cache: TimingCache) -> TacticCheck:
    """By the build's own record or its verbose log, also one next to its engine that has keys; else by its engine."""
    from trex.builder.timing_cache_check import check_engine, check_log, check_record
    from trex.ingest.finding.file_kind import HEAD_BYTES, Kind, recognize
    from trex.ingest.source import read_head
    from trex.ingest.timing_cache import load_timing_cache
    from trex.plan.loading import find_plans

    kind = recognize(read_head(build, HEAD_BYTES), build)
    if kind in (Kind.TIMING_CACHE, Kind.TACTICS):
        return check_record(cache, load_timing_cache(build))
    if kind is Kind.LOG:
        log = _build_log(build)
        if log is not None and (log.chosen or log.operations):
            return check_log(cache, log)
    engines = find_plans(build)
    path = engines[0].build_log if len(engines) == 1 else None
    log = _build_log(path) if path is not None else None
    if log is not None and any(operation.key for operation in log.operations if operation.build == log.last_build):
        return check_log(cache, log)
    return check_engine(cache, load_plan(build))


def _build_log(path: str) -> BuildLog | None:
    """None for a log without a build: its layers may still name their tactics."""
    from trex.ingest.build_log.build_log import read_build_log

    with console.patience(f"reading {path}"), suppress(TrexError):
        return read_build_log(path)
    return None


def _save(cache: TimingCache, options: CacheOptions) -> None:
    from trex.ingest.timing_cache_record import record_text

    if options.save and (file := write_output(options.save, record_text(cache))):
        console.complain(f"tactics: {file}")


COMMAND = Command(
    CacheOptions, run, exit_codes="0 same, done · 1 tactics differ · 2 usage or input error · 3 inconclusive"
)
