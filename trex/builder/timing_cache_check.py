"""A build and a TimingCache → TacticCheck: whether the build used the recorded tactics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from trex.builder.build_statements import BUILT, GENERATION
from trex.builder.timing_cache_diff import other_origin
from trex.builder.timing_cache_frame import entries_by_tactic, keyed_tactics, native_key, of_layer
from trex.core.build_log import BuildLog
from trex.core.errors import TrexError
from trex.core.layer import Role
from trex.core.note import Note
from trex.core.release import release_from_text
from trex.core.timing_cache import LAYOUT_10, TimingCache
from trex.ingest.differing_facts import name_two_gpus
from trex.ingest.logs.run_metadata import MIXED_RUNS
from trex.plan.engine_plan import EnginePlan

_MADE_OF_OTHERS = ("Myelin",)
"""A runner of a whole subgraph: its tactic is always 0, and its operations have entries of their own."""

_WITHOUT_KEY = "Myelin's, the log has no keys (trex process --record-tactics prints them)"


class TacticOutcome(Enum):
    SAME = "same"
    DIFFERS = "differs"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class CheckedTactic:
    """name: of the layer or operation. used: the build's tactic, None if unknown. recorded: the cache's, None if it has
    none for this key, or if the build has no key. reason: why the two cannot be compared, "" if they can.
    """

    name: str
    used: int | None
    recorded: int | None
    is_same: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TacticCheck:
    """by_key: operations were found by their keys, which proves it; otherwise by tactic, which can only refute it.
    notes: on the build. doubt: why the build may have used other tactics than those that were checked; "" if it can't.
    """

    checked: tuple[CheckedTactic, ...]
    by_key: bool
    notes: tuple[Note, ...] = ()
    doubt: str = ""

    @property
    def same(self) -> int:
        return sum(tactic.is_same for tactic in self.checked)

    @property
    def differing(self) -> tuple[CheckedTactic, ...]:
        return tuple(tactic for tactic in self.checked if not tactic.is_same and not tactic.reason)

    @property
    def unknown(self) -> tuple[CheckedTactic, ...]:
        return tuple(tactic for tactic in self.checked if tactic.reason)

    @property
    def outcome(self) -> TacticOutcome:
        if self.differing:
            return TacticOutcome.DIFFERS
        return TacticOutcome.INCONCLUSIVE if self.unknown or not self.checked or self.doubt else TacticOutcome.SAME


def check_keys(cache: TimingCache, used: Mapping[str, int], names: Mapping[str, str] | None = None) -> TacticCheck:
    """used: {key: tactic} of a build. names: {key: name of the operation}, by default the keys.

    An operation that the cache lacks differs: the builder timed it.
    """
    names = names or {}
    recorded = cache.tactics
    checked = (
        CheckedTactic(names.get(key, key), tactic, recorded.get(key), recorded.get(key) == tactic)
        for key, tactic in used.items()
    )
    return TacticCheck(tuple(checked), by_key=True)


def check_record(cache: TimingCache, record: TimingCache) -> TacticCheck:
    """record: of a build. Raises TrexError if it is of another device or build of TensorRT, where the same keys and
    tactics mean something else; so do the other checks, as far as both sides say.
    """
    _require_same(other_origin(record.header, cache.header), record.source)
    doubt = "its record was edited, and may lack operations" if record.is_edited else ""
    return replace(check_keys(cache, record.tactics), notes=record.notes, doubt=doubt)


def _require_origin(cache: TimingCache, device: str, version: str, where: str) -> None:
    """device, version: of the build, "" if unknown. Only records that trex made name theirs."""
    header = cache.header
    releases = [release_from_text(text) for text in (version, header.release)]
    differing = ["device"] if name_two_gpus(device, header.device) else []
    is_earlier = releases[0] is not None and releases[0].major < 10 and header.layout == LAYOUT_10
    is_other = is_earlier or (all(releases) and releases[0] != releases[1])
    _require_same([*differing, *(["build of TensorRT"] if is_other else [])], where)


def _require_same(differing: Sequence[str], where: str) -> None:
    if differing:
        message = f"the build is of another {' and another '.join(differing)} than the cache"
        raise TrexError(message, "verify it with a cache of the same device and TensorRT", where)


def check_log(cache: TimingCache, log: BuildLog, build: int | None = None) -> TacticCheck:
    """By key where the log has keys, which it has of a build with an editable timing cache; other native choices by
    runner and tactic. What a build took from a timing cache is not in its log. build: its index, by default the last.
    """
    index = log.last_build if build is None else build
    for info in log.builds[index : index + 1]:
        _require_origin(cache, info.device, info.tensorrt_version, log.source)
    notes: tuple[Note, ...] = ()
    if len(log.builds) > 1:
        message = f"the log contains {len(log.builds)} builds; build {index + 1} was checked"
        notes = (Note("several-builds", message, "trex tactics LOG CACHE --build N checks another", log.source),)
    log = _of_build(log, index)
    keyed = keyed_tactics(log)
    by_tactic = entries_by_tactic(cache)
    others = [
        CheckedTactic(choice.layer, choice.tactic, None, bool(of_layer(by_tactic, choice.runner, choice.tactic)))
        for choice in log.chosen
        if not native_key(choice.formats) and choice.runner not in _MADE_OF_OTHERS
    ]
    lost = [
        CheckedTactic(operation.operation, operation.tactic, None, False, _WITHOUT_KEY)
        for operation in log.operations
        if not operation.key
    ]
    used = {key: tactic for key, (_, tactic) in keyed.items()}
    checked = check_keys(cache, used, {key: name for key, (name, _) in keyed.items()}).checked
    return TacticCheck((*checked, *others, *lost), bool(checked) and not others, notes, _doubt(log, index))


def _doubt(log: BuildLog, build: int) -> str:
    """By the end of the build in its log, and by lines of others in it."""
    if any(note.code == MIXED_RUNS for note in log.notes):
        return "two runs wrote into its log at the same time"
    passed = log.builds[build].passed if build < len(log.builds) else None
    if passed is False:
        return "its run failed"
    phases = [row for row in log.phases if row.build == build]
    last = max((index for index, one in enumerate(log.passes) if one.build == build), default=None)
    is_generated = any(row.phase == GENERATION and last in (None, row.strategy_pass) for row in phases)
    is_finished = passed or is_generated or any(row.phase == BUILT for row in phases)
    return "" if is_finished else "its log ends before the engine was generated"


def _of_build(log: BuildLog, build: int) -> BuildLog:
    """What one build chose in the pass that was kept, in all of its passes if the log does not say which was."""
    own = {index: one.is_chosen for index, one in enumerate(log.passes) if one.build == build}
    passes = {index for index, is_chosen in own.items() if is_chosen or not any(own.values())}
    chosen = tuple(row for row in log.chosen if row.strategy_pass in passes)
    return replace(log, chosen=chosen, operations=tuple(row for row in log.operations if row.strategy_pass in passes))


def check_engine(cache: TimingCache, plan: EnginePlan) -> TacticCheck:
    """By tactic, and by runner where the layer's type is one: an engine contains no keys."""
    device = plan.build_device_facts.name or plan.device_facts.name or ""
    _require_origin(cache, device, plan.tensorrt_version, plan.engine.source)
    by_tactic = entries_by_tactic(cache)
    checked = []
    for layer in plan.working_layers:
        value = layer.tactic_value
        if value is None or layer.subtype in _MADE_OF_OTHERS:
            if layer.role is Role.KERNEL:
                reason = "Myelin's, the engine has no id of its tactic"
                if not layer.tactic and not layer.subtype:
                    reason = "names only, build with --profilingVerbosity=detailed"
                checked.append(CheckedTactic(layer.name, None, None, False, reason))
            continue
        checked.append(CheckedTactic(layer.name, value, None, bool(of_layer(by_tactic, layer.subtype, value))))
    return TacticCheck(tuple(checked), by_key=False)
