"""Runs → positions on an axis: by time, commit, or version."""

from __future__ import annotations

import os
import re
import subprocess
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.printable import clipped

if TYPE_CHECKING:
    import pandas as pd

TIME, COMMIT, TENSORRT, DRIVER = "made_at", "commit", "tensorrt", "driver"
AXES = (TIME, COMMIT, TENSORRT, DRIVER)
HELD = {
    TIME: (),
    COMMIT: (TENSORRT, DRIVER),
    TENSORRT: (COMMIT, "model_hash"),
    DRIVER: (COMMIT, "model_hash", TENSORRT),
}
"""Axis → what must be equal within a series, next to the configuration, so that only the axis varies."""

OTHER_ORDER, OTHER_BRANCH = "order-differs-from-time", "other-branch"

_GIT_SECONDS = 60
_OF_ONE_REPOSITORY = (
    *("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"),
    *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE"),
    *("GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE"),
)
"""What git sets for its hooks (``git rev-parse --local-env-vars``): it counts more than the folder of ``-C``."""
_COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")
_MOST_DIGITS = 18
_NUMBERS = re.compile(r"\d+")
_CANDIDATE = re.compile(r"(.*?\d\.\d[\d.]*?)[-._]?(dev|alpha|a|beta|b|pre|rc)[-._]?(\d*)(?![A-Za-z0-9])", re.IGNORECASE)
_RANKS = {"dev": -6, "a": -5, "alpha": -5, "b": -4, "beta": -4, "pre": -3, "rc": -2}
_RELEASE = -1
_MONTH = (
    "(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?"
    "|sep(t(ember)?)?|oct(ober)?|nov(ember)?|dec(ember)?)"
)
_DATE = re.compile(
    rf"[-./ ](19\d|20[0-3])\d(?!\d)|\d/\d+/\d|^{_MONTH}$|^(?=.*\d).*(?<![a-z]){_MONTH}(?![a-z])", re.IGNORECASE
)
_DECIMAL = re.compile(r"-?\d+(\.\d+)?")
_NO_VERSION = re.compile(r"-.+|\d+\.0\d+")
_FEWEST_LABELS = 3
_FEWEST_COMMITS = 2
_MOST_COMMITS, _MOST_TIPS = 10_000, 20
"""That git gets as arguments, and branches that are looked at: each takes some calls of git."""
_VERSION = re.compile(r"\d+(\.\d+)*")


@dataclass(frozen=True, slots=True)
class RunOrder:
    """runs: those with a position, in order. groups: per run the number of its position. notes: what is uncertain."""

    runs: pd.DataFrame
    groups: tuple[int, ...]
    notes: tuple[Note, ...] = ()


def ordered(runs: pd.DataFrame, axis: str, repository: str = ".", *, keeps_branches: bool = False) -> RunOrder:
    """The runs along an axis: ``made_at``, ``commit``, ``tensorrt``, ``driver`` or a label's name.

    Commits are in the order of ``git rev-list`` of the repository, those that it does not know by their first runs, and
    those of other branches than the one checked out are left out, which Notes say. Runs without a position are left
    out and counted.
    """
    values = axis_values(runs, axis)
    known = values.notna()
    notes = []
    if missing := int((~known).sum()):
        notes.append(Note("no-position", f"{counted(missing, 'run has', 'runs have')} no {axis}", "", "", "info"))
    runs, values = runs[known], values[known]
    known_order: dict[Any, int] = {}
    if axis == COMMIT:
        known_order = known_positions(list(dict.fromkeys(values)), repository)
        others = [] if keeps_branches else _on_other_branches(known_order, repository)
        if others:
            known = ~values.isin(others)
            notes.append(_left_out(runs[TIME], known, others[-1]))
            runs, values = runs[known], values[known]
    if axis == TIME:
        keys = values
    else:
        positions, note = _positions(runs, values, axis, known_order)
        notes += [note] if note else []
        keys = values.map(positions)
    runs = runs.assign(_key=keys).sort_values(["_key", TIME, "id"], kind="stable", na_position="first")
    groups = tuple(int(number) for number in runs["_key"].rank(method="dense").astype(int)) if len(runs) else ()
    return RunOrder(runs.drop(columns="_key"), groups, tuple(notes))


def axis_values(runs: pd.DataFrame, axis: str) -> pd.Series[Any]:
    """Per run its value on one of the HELD axes, else its label."""
    if axis in HELD and axis in runs.columns:
        return runs[axis]
    return runs["labels"].map(lambda labels: (labels or {}).get(axis)).astype(object)


def _positions(
    runs: pd.DataFrame, values: pd.Series[Any], axis: str, known_order: Mapping[Any, int]
) -> tuple[dict[Any, int], Note | None]:
    distinct = list(dict.fromkeys(values))
    if axis != COMMIT:
        by_text = in_order(distinct)
        note = None if axis in HELD else _other_order(runs[TIME].groupby(values), axis, by_text)
        return {value: number for number, value in enumerate(by_text)}, note
    known = {commit: known_order[commit] for commit in distinct if commit in known_order}
    if len(known) == len(distinct):
        return known, None
    first = runs.groupby(values)[TIME].min().sort_values(kind="stable")
    unknown = next(commit for commit in distinct if commit not in known)
    hint = "run trex in the repository, or name it: --repository FOLDER; git fetch --unshallow completes a clone"
    if len(known) < _FEWEST_COMMITS:
        note = Note("commit-order", "git does not know the order of these commits: by their first runs", hint)
        return {value: number for number, value in enumerate(first.index)}, note if len(distinct) > 1 else None
    message = (
        f"{counted(len(distinct) - len(known), 'commit')}, such as {clipped(str(unknown), 40)}, unknown in this "
        "repository: placed by their first runs, after the commits that ran before"
    )
    return _placed(list(first.index), known), Note("commit-order", message, hint)


def _left_out(times: pd.Series[Any], is_kept: pd.Series[bool], commit: str) -> Note:
    """A warning if a run on another branch is the newest, which the history then does not show."""
    left, kept = (set(times[part].dropna()) for part in (~is_kept, is_kept))
    is_newer = bool(left) and (not kept or max(left) > max(kept))
    message = f"{counted(int((~is_kept).sum()), 'run is', 'runs are')} left out, whose commits are on other branches"
    hint = f"check out {commit[:10]} to see that branch"
    return Note(OTHER_BRANCH, message, hint, severity="warning" if is_newer else "info")


def _placed(by_time: Sequence[Any], known: Mapping[Any, int]) -> dict[Any, int]:
    """Commits that git does not know follow the latest of the known ones whose first run was before theirs."""
    latest, keys = -1, dict[Any, tuple[int, int]]()
    for number, commit in enumerate(by_time):
        latest = max(latest, known.get(commit, -1))
        keys[commit] = (known[commit], -1) if commit in known else (latest, number)
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys.values())))}
    return {commit: ranks[key] for commit, key in keys.items()}


def _other_order(times: Any, axis: str, by_text: Sequence[Any]) -> Note | None:
    """A Note where labels are dates, or numbers that may be versions, and the runs of one were all made before those of
    the next, but in another order than that of the labels. Versions have one order, whenever their runs were made.
    """
    first, last = times.min(), times.max()
    by_time = sorted(by_text, key=first.get)
    if by_time == list(by_text) or len(by_text) < _FEWEST_LABELS:
        return None
    texts = [str(value) for value in by_text]
    if not all(map(_DATE.search, texts)):
        is_by_value = all(map(_DECIMAL.fullmatch, texts)) and by_time == sorted(
            by_text, key=lambda value: float(str(value))
        )
        if not is_by_value:
            return None
    if any(last[one] >= first[other] for one, other in pairwise(by_time)):
        return None
    early, late = next((one, other) for one, other in pairwise(by_text) if first[other] < first[one])
    first_name, then = (clipped(str(value), 40) for value in (early, late))
    message = f"sorted by {axis}, {first_name} is before {then}, but its runs are later: the order may be another"
    hint = "labels that sort as they follow each other: 2026-02-06; bisect --values; or order by time: --by made_at"
    return Note(OTHER_ORDER, message, hint)


def in_order(values: Iterable[Any]) -> list[Any]:
    """As versions, 1.9 before 1.10; as numbers where one is no version: 0.05, or below 0."""
    texts = {value: str(value) for value in values}
    are_numbers = all(map(_DECIMAL.fullmatch, texts.values())) and any(map(_NO_VERSION.fullmatch, texts.values()))
    return sorted(texts, key=(lambda value: float(texts[value])) if are_numbers else version_key)


def version_key(text: object) -> tuple[tuple[int, ...], str]:
    """``10.4.0`` before ``10.13``, ``1.2-rc1`` before ``1.2``. Of longer numbers than versions have, the first digits
    count.
    """
    words = str(text)
    candidate = _CANDIDATE.match(words)
    numbers = list(_numbers(candidate[1] if candidate else words))
    while numbers and not numbers[-1]:
        numbers.pop()  # 10.4 is 10.4.0
    rank = _RANKS[candidate[2].lower()] if candidate else _RELEASE
    return (*numbers, rank, *(_numbers(candidate[3]) if candidate else ())), words


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number[:_MOST_DIGITS]) for number in _NUMBERS.findall(text))


def is_same_version(left: str, right: str) -> bool:
    """``10.4`` is ``10.4.0``, and that is any build of it: ``10.4.0.26``. Other words must be equal."""
    if left == right or not (_VERSION.fullmatch(left) and _VERSION.fullmatch(right)):
        return left == right
    numbers = [(*_numbers(text), 0, 0) for text in (left, right)]
    count = max(3, min(map(len, numbers)) - 2)
    return numbers[0][:count] == numbers[1][:count]


def known_positions(commits: Sequence[str], repository: str) -> dict[str, int]:
    """The commits that git knows, with their places from parents to children; none if the clone is shallow and it does
    not know their order.
    """
    hexadecimal = [commit for commit in commits if isinstance(commit, str) and _COMMIT.fullmatch(commit)]
    form = "--batch-check=%(objectname) %(objecttype)"
    words = _git(repository, "cat-file", form, revisions=[f"{commit}^{{commit}}" for commit in hexadecimal]) or []
    objects = zip(hexadecimal, words[::2], words[1::2], strict=False)
    full = {commit: name for commit, name, kind in objects if kind == "commit"}
    history = _git(repository, "rev-list", "--topo-order", "--reverse", "--stdin", revisions=list(full.values())) or []
    number = {name: index for index, name in enumerate(history)}
    positions = {commit: number[name] for commit, name in full.items() if name in number}
    if positions and _is_shallow(repository):
        *others, newest = sorted(positions, key=positions.__getitem__)
        if _git(repository, "rev-list", "--max-count=1", "--stdin", revisions=[*others, newest, f"^{newest}"]) != []:
            return {}
    return positions


def _on_other_branches(known_order: Mapping[str, int], repository: str) -> list[str]:
    """Those of the known commits that are not in the history of what is checked out; if that is behind, or has none of
    them, of the branch with the most.
    """
    commits = sorted(known_order, key=known_order.__getitem__)
    outside = _outside("HEAD", commits, repository)
    if not outside:
        return []
    tips = _git(repository, "merge-base", "--independent", *outside[-_MOST_COMMITS:]) or []
    ahead = [tip for tip in tips if _git(repository, "merge-base", "--is-ancestor", "HEAD", tip) is not None]
    candidates = ahead or (tips if len(outside) == len(commits) else [])
    return min((_outside(tip, commits, repository) for tip in candidates[:_MOST_TIPS]), key=len, default=outside)


def _outside(tip: str, commits: Sequence[str], repository: str) -> list[str]:
    """Those that are not in the history of a revision; none if git does not know that."""
    listed = sorted(_git(repository, "rev-list", "--stdin", revisions=[*commits, f"^{tip}"]) or [])
    beginnings = ((commit, bisect_left(listed, commit.lower())) for commit in commits)
    return [commit for commit, at in beginnings if at < len(listed) and listed[at].startswith(commit.lower())]


def commits_between(good: str, bad: str, repository: str) -> list[str]:
    """The commits after ``good`` up to ``bad`` along first parents, the oldest first; none if ``good`` is no ancestor.
    Raises TrexError if git does not know.
    """
    for commit in (good, bad):
        if not _COMMIT.fullmatch(commit):
            raise TrexError(f"{commit!r} is not a commit", "hexadecimal digits, at least 7")
    lines = _git(repository, "rev-list", "--reverse", "--first-parent", f"{good}..{bad}", "--")
    if lines is None:
        raise TrexError(f"git does not know {good[:12]} or {bad[:12]} here", "--repository FOLDER", repository)
    if not lines:
        return []
    is_ancestor = _git(repository, "merge-base", "--is-ancestor", good, bad) is not None
    oldest = _git(repository, "rev-list", "--parents", "--max-count=1", lines[0], "--") or []
    is_cut = not is_ancestor or len(oldest) < 2  # without a parent
    if is_cut and _is_shallow(repository):
        message = f"git does not know all commits from {good[:12]} to {bad[:12]} here: the clone is shallow"
        raise TrexError(message, "git fetch --unshallow", repository)
    return lines if is_ancestor else []


def _is_shallow(repository: str) -> bool:
    return _git(repository, "rev-parse", "--is-shallow-repository") == ["true"]


def _git(repository: str, *arguments: str, revisions: Sequence[str] = ()) -> list[str] | None:
    """The words that git prints; None if it fails or is not installed. revisions: its standard input.

    Programs that the repository's settings name, to check signatures or to fetch what a partial clone lacks, are not
    started.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _OF_ONE_REPOSITORY}
    try:
        done = subprocess.run(
            ["git", "-c", "log.showSignature=false", "-C", repository, *arguments],
            env={**environment, "GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1"},
            input="".join(f"{revision}\n" for revision in revisions),
            capture_output=True, encoding="utf-8", errors="replace", timeout=_GIT_SECONDS, check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.split()


def commit_subject(commit: str, repository: str) -> str:
    """The first line of its message; "" if git does not know it."""
    if not _COMMIT.fullmatch(commit):
        return ""
    words = _git(repository, "log", "-1", "--format=%s", commit, "--")
    return "" if words is None else " ".join(words)[:100]
