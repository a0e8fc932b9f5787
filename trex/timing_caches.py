"""Timing caches: the tactic that TensorRT recorded for each operation, out of a cache or a record of tactics.

NVIDIA's TREx has no such module. ``trex cache`` is the same on the command line; docs/builder.md explains it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from trex.builder.timing_cache_check import TacticCheck, check_engine, check_record
from trex.builder.timing_cache_diff import TimingCacheDiff
from trex.builder.timing_cache_frame import entries_frame, keyed_tactics, layers_frame
from trex.core.timing_cache import TimingCache
from trex.export.document_view import DocumentView
from trex.ingest.build_log.build_log import read_build_log
from trex.ingest.timing_cache import load_timing_cache
from trex.plan.engine_plan import EnginePlan
from trex.views.document import Document
from trex.views.timing_cache import cache_document, check_document, diff_document

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CacheComparison", "CachedTactics", "TacticVerification", "read_timing_cache"]


@dataclass(frozen=True, repr=False)
class CachedTactics(DocumentView):
    """cache: its header, entries and notes; ``cache.tactics`` is {key: tactic}. names: {key: operation} of a log."""

    cache: TimingCache
    names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def df(self) -> pd.DataFrame:
        """One row per operation: key, operation (its name, "" without a log), kind, runner, TacticValue (as in
        ``plan.df``), time_ms.
        """
        return entries_frame(self.cache, self.names)

    @property
    def fingerprint(self) -> str:
        """Equal for caches of the same tactics, whatever their times."""
        return self.cache.fingerprint()

    @property
    def document(self) -> Document:
        """What ``trex cache show`` shows."""
        return cache_document(self.cache, names=self.names)

    def diff(self, new: CachedTactics) -> CacheComparison:
        """This is the base."""
        return CacheComparison(self.cache, new.cache)

    def verify(self, build: EnginePlan | CachedTactics) -> TacticVerification:
        """Whether a build used these tactics: its own cache or record proves it, an engine can only refute it."""
        if isinstance(build, CachedTactics):
            return TacticVerification(check_record(self.cache, build.cache), build.cache.source, self.cache)
        return TacticVerification(check_engine(self.cache, build), build.engine.name, self.cache)

    def layers(self, plan: EnginePlan) -> pd.DataFrame:
        """One row per layer of an engine: layer.index, Name, TacticValue, entries (operations of the cache with its
        tactic, NaN without an id), fastest_ms, slowest_ms of these.
        """
        return layers_frame(self.cache, plan)

    def __repr__(self) -> str:
        return f"CachedTactics({self.cache.source!r}, {len(self.cache.by_key)} tactics)"


@dataclass(frozen=True, repr=False)
class CacheComparison(DocumentView, TimingCacheDiff):
    """``.changes`` with ``.is_tie``, ``.only_base``, ``.only_new``, ``.is_same``."""

    @property
    def document(self) -> Document:
        """What ``trex cache diff`` shows."""
        return diff_document(self)

    def __repr__(self) -> str:
        return f"CacheComparison({len(self.common)} in both, {len(self.changes)} changed, {self.ties} ties)"


@dataclass(frozen=True, repr=False)
class TacticVerification(DocumentView):
    """check: ``.outcome``, ``.differing``, ``.unknown``. build: its name. cache: what it was checked against."""

    check: TacticCheck
    build: str
    cache: TimingCache

    @property
    def document(self) -> Document:
        """What ``trex cache verify`` shows."""
        return check_document(self.check, self.build, self.cache)

    def __repr__(self) -> str:
        return f"TacticVerification({self.build!r}, {self.check.outcome.value})"


def read_timing_cache(path: str | os.PathLike[str], log: str | os.PathLike[str] | None = None) -> CachedTactics:
    """A cache of TensorRT's, or a record of tactics. log: a verbose log; where it has keys, it names the operations.

    Raises TrexError for anything else, and for an unknown layout.
    """
    keyed = {} if log is None else keyed_tactics(read_build_log(log))
    return CachedTactics(load_timing_cache(path), {key: name for key, (name, _) in keyed.items()})
