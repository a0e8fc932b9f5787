"""Two builds → TacticChanges: which choices differ, which of them were ties, and whether the inputs differed.

Choices correspond by layer, operation and formats (with their strides, and so their shapes). A choice is a runner and a
tactic. Each build timed, mostly, what the other chose: how much slower that was decides whether the change is a tie.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from trex.builder.tactics import Tactics
from trex.builder.ties import TIE, change_words
from trex.core.build_log import LAYER, Autotuned, Build
from trex.core.counted import counted
from trex.core.printable import clipped

_KEYS = ["kind", "layer", "operation", "formats", "occurrence"]
_WORD = re.compile(r"""(?:[^\s"']+|"[^"]*"|'[^']*'|["'])+""")  # shlex takes quadratic time
_QUOTE = re.compile("[\"']")
_LONGEST_VALUE = 200
_FLAG = re.compile(r"--([A-Za-z0-9]+)(?:=(.*))?", re.DOTALL)
_NOT_OF_THE_BUILD = re.compile(
    r"(?:save|load|export|dump|timingCache|verbose|skip|duration|iterations|warmUp|avgRuns|idleTime|streams"
    r"|useCudaGraph|useSpinWait|useManagedMemory|useProfile|infStreams|separateProfileRun|profilingVerbosity|no[D]ataTransfers|percentile|device$|onnx$)",
    re.IGNORECASE,
)
_MOST_NAMES = 3


@dataclass(frozen=True)
class TacticChanges:
    """base_build, new_build: indexes of the builds in their logs, by default the last ones."""

    base: Tactics
    new: Tactics
    base_build: int | None = None
    new_build: int | None = None

    @property
    def sides(self) -> tuple[tuple[Tactics, int], tuple[Tactics, int]]:
        """Base and new, each with the index of its build."""
        base, new = (
            (tactics, tactics.log.last_build if build is None else build)
            for tactics, build in ((self.base, self.base_build), (self.new, self.new_build))
        )
        return base, new

    @property
    def _infos(self) -> tuple[Build, ...]:
        return tuple(tactics.log.builds[build] for tactics, build in self.sides)

    @cached_property
    def _merged(self) -> pd.DataFrame:
        """One row per choice of either build, ``_merge`` names it."""
        sides = [_choices(*side) for side in self.sides]
        merged: pd.DataFrame = sides[0].merge(
            sides[1], on=_KEYS, how="outer", suffixes=("_base", "_new"), indicator=True, sort=False
        )
        return merged

    @property
    def common(self) -> int:
        """Choices that both builds made."""
        return int((self._merged["_merge"] == "both").sum())

    @cached_property
    def changes(self) -> pd.DataFrame:
        """One row per changed choice, those of the engines first: kind, layer, operation, formats, in_engine (of either
        build; NA if unknown), base_tactic, base_kernel, base_ms, new_tactic, new_kernel, new_ms, base_gap_pct (how much
        slower what new chose was in base; NaN if not timed), new_gap_pct (what base chose, in new), is_tie, words.
        """
        both = self._merged[self._merged["_merge"] == "both"]
        is_other = (both["tactic_base"] != both["tactic_new"]) | (both["runner_base"] != both["runner_new"])
        changed = both[is_other]
        base_of_new = self.base.times_of(changed["group_base"], changed["runner_new"], changed["tactic_new"])
        new_of_base = self.new.times_of(changed["group_new"], changed["runner_base"], changed["tactic_base"])
        frame: pd.DataFrame = changed[_KEYS[:4]].reset_index(drop=True)
        uses = changed[["in_engine_base", "in_engine_new"]].reset_index(drop=True)
        frame["in_engine"] = uses["in_engine_base"] | uses["in_engine_new"]
        for side in ("base", "new"):
            frame[f"{side}_tactic"] = changed[f"tactic_{side}"].to_numpy()
            frame[f"{side}_kernel"] = changed[f"kernel_{side}"].to_numpy()
            frame[f"{side}_ms"] = changed[f"time_ms_{side}"].to_numpy()
        frame["base_gap_pct"] = _gap_pct(base_of_new, frame["base_ms"])
        frame["new_gap_pct"] = _gap_pct(new_of_base, frame["new_ms"])
        gaps = frame[["base_gap_pct", "new_gap_pct"]]
        largest = gaps.abs().max(axis=1)
        frame["is_tie"] = (largest <= 100.0 * TIE).to_numpy(dtype=bool)
        frame["words"] = [change_words(*pair) for pair in gaps.itertuples(index=False)]
        order = pd.DataFrame({"other": ~frame["in_engine"].fillna(False).astype(bool), "gap": -largest})
        frame = frame.loc[order.sort_values(["other", "gap"], kind="stable").index].reset_index(drop=True)
        return frame

    @property
    def ties(self) -> int:
        return int(self.changes["is_tie"].sum())

    def only(self, side: str) -> tuple[str, ...]:
        """Layers that only one build timed, or took from a timing cache. side: ``base`` or ``new``."""
        own, other = self._layers if side == "base" else self._layers[::-1]
        return tuple(name for name in own if name not in other)

    @cached_property
    def _layers(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """{layer: its combinations of formats} of both builds."""
        base, new = (_formats(*side) for side in self.sides)
        return base, new

    @cached_property
    def other_types(self) -> tuple[str, ...]:
        """Layers of both that were tried in other types."""
        base, new = self._layers
        return tuple(name for name in base if name in new and _types(base[name]) != _types(new[name]))

    @cached_property
    def other_shapes(self) -> tuple[str, ...]:
        """Layers of both that were tried in the same types but other shapes or layouts."""
        base, new = self._layers
        types = set(self.other_types)
        return tuple(name for name in base if name in new and base[name] != new[name] and name not in types)

    @cached_property
    def input_differences(self) -> tuple[str, ...]:
        """What differed before any tactic was timed, in words; empty if nothing that the logs contain."""
        return tuple(self._input_differences())

    @property
    def inputs_compared(self) -> dict[str, bool]:
        """{input: whether both logs contain it}."""
        infos = self._infos
        return {
            "GPU": all(info.device for info in infos),
            "TensorRT": all(info.tensorrt_version for info in infos),
            "options": all(info.command_line for info in infos),
        } | dict.fromkeys(("layers", "types and shapes"), self._are_finished)

    @property
    def _are_finished(self) -> bool:
        """Whether both logs contain the whole build: half of one lacks layers and formats."""
        return all(info.is_finished for info in self._infos)

    def _input_differences(self) -> Iterator[str]:
        infos = self._infos
        devices = [info.device for info in infos]
        if all(devices) and devices[0] != devices[1]:
            yield f"GPU {devices[0]} → {devices[1]}"
        versions = [info.tensorrt_version for info in infos]
        if all(versions) and versions[0] != versions[1]:
            yield f"TensorRT {versions[0]} → {versions[1]}"
        lines = [info.command_line for info in infos]
        options = option_differences(*lines) if all(lines) else []
        if options:
            yield f"options: {', '.join(options)}"
        if not self._are_finished:
            return
        for side in ("base", "new"):
            if names := self.only(side):
                yield f"{counted(len(names), 'layer')} only in {side}: {_listed(names)}"
        if self.other_types:
            yield f"{counted(len(self.other_types), 'layer')} in other types: {_listed(self.other_types)}"
        if self.other_shapes:
            layers = counted(len(self.other_shapes), "layer")
            yield f"{layers} in other shapes or layouts: {_listed(self.other_shapes)}"

    @property
    def is_same(self) -> bool:
        """Whether every choice is the same, of the same layers and formats."""
        base, new = self._layers
        return not len(self.changes) and base == new

    @property
    def words(self) -> str:
        """The answer in one sentence."""
        if not self.common:
            return "No choice is in both: nothing to compare."
        choices = counted(self.common, "common choice")
        if not len(self.changes):
            return f"All {choices} are the same."
        count, ties = len(self.changes), self.ties
        if count == 1:
            verdict = f"differs: {'a' if ties else 'no'} tie"
        elif ties in (0, count):
            verdict = f"differ, {'all of them ties' if ties else 'none of them a tie'}"
        else:
            verdict = f"differ, {ties:,} of them {'a tie' if ties == 1 else 'ties'}"
        words = f"{count:,} of {choices} {verdict} (within {100 * TIE:g} %)."
        used = self.changes["in_engine"]
        if used.isna().all():
            return words
        own = int(used.fillna(False).sum())
        if count == 1:
            return f"{words} It is {'' if own else 'not '}in the engines."
        return f"{words} {f'{own:,} of them are' if own > 1 else '1 of them is' if own else 'None is'} in the engines."


def option_differences(base: str, new: str) -> list[str]:
    """Options of two command lines of trtexec that change what is built: ``--fp16 (new)``, ``--x=1 → 2``."""
    before, after = _options(base), _options(new)
    result = []
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) == after.get(name):
            continue
        values = [clipped(side[name], _LONGEST_VALUE) for side in (before, after) if name in side]
        if len(values) == 2:
            result.append(f"--{name}={values[0]} → {values[1]}")
        else:
            value = values[0]
            result.append(f"--{name}{'=' * bool(value)}{value} ({'base' if name in before else 'new'} only)")
    return result


def _options(command_line: str) -> dict[str, str]:
    words = (_QUOTE.sub("", word) for word in _WORD.findall(command_line))
    flags = (_FLAG.fullmatch(word) for word in words)
    values: dict[str, list[str]] = {}
    for flag in flags:
        if flag and not _NOT_OF_THE_BUILD.match(flag[1]):
            values.setdefault(flag[1], []).append(flag[2] or "")
    return {name: ",".join(every) for name, every in values.items()}


def _choices(tactics: Tactics, build: int) -> pd.DataFrame:
    choices = tactics.choices
    choices = choices[(choices["build"] == build) & choices["is_kept"].astype(bool)]
    frame: pd.DataFrame = choices[
        ["kind", "layer", "operation", "formats", "runner", "tactic", "kernel", "time_ms", "in_engine", "group"]
    ].copy()
    for name in ("kind", "layer", "operation", "formats", "runner"):
        frame[name] = frame[name].astype(object)
    frame["occurrence"] = frame.groupby(_KEYS[:4], sort=False).cumcount()
    return frame


def _formats(tactics: Tactics, build: int) -> dict[str, set[str]]:
    result: dict[str, set[str]] = {}
    kept = [one.is_chosen for one in tactics.log.passes]
    rows: Sequence[Autotuned] = tactics.log.autotuned
    for row in rows:
        if row.build == build and row.kind == LAYER and kept[row.strategy_pass] and row.layer and row.formats:
            result.setdefault(row.layer, set()).add(row.formats)
    return result


_NUMBERS = re.compile(r"\([^()]*\)")


def _types(formats: set[str]) -> set[str]:
    """Their types: ``Half(1,2) -> Float(1)`` → ``Half -> Float``."""
    return {_NUMBERS.sub("", one).partition(" where ")[0] for one in formats}


def _gap_pct(other: np.ndarray, chosen: pd.Series) -> pd.Series:
    times = chosen.astype(float)
    gaps: pd.Series = 100.0 * (pd.Series(other, index=chosen.index) / times.where(times > 0) - 1.0)
    return gaps


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
