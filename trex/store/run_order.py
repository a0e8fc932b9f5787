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
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DATE_OR_VERSION = re.compile(
    rf"\d[-./]\d+[-./]\d|\d[-./]\d{{4}}(?!\d)|(?<![a-z])(?:{_MONTHS})(?:[a-z]{{0,6}}\b|(?=\d))", re.IGNORECASE
)
_DECIMAL = re.compile(r"-?\d+(\.\d+)?")
_NO_VERSION = re.compile(r"-.+|\d+\.0\d+")
_FEWEST_LABELS = 3
_FEWEST_COMMITS = 2
_VERSION = re.compile(r"\d+(\.\d+)*")


@dataclass(frozen=True, slots=True)
class RunOrder:
    """runs: those with a position, in order. groups: per run the number of its position. notes: what is uncertain."""

    runs: pd.DataFrame
    groups: tuple[int, ...]
    notes: tuple[Note, ...] = ()


def ordered(runs: pd.DataFrame, axis: str, repository: str = ".") -> RunOrder:
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
    if axis == COMMIT and (others := _on_other_branches(list(dict.fromkeys(values)), repository)):
        known = ~values.isin(others)
        message = f"{counted(int((~known).sum()), 'run is', 'runs are')} left out, whose commits are on other branches"
        notes.append(Note(OTHER_BRANCH, message, f"check out {others[-1][:10]} to see that branch"))
        runs, values = runs[known], values[known]
    if axis == TIME:
        keys = values
    else:
        positions, note = _positions(runs, values, axis, repository)
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
    runs: pd.DataFrame, values: pd.Series[Any], axis: str, repository: str
) -> tuple[dict[Any, int], Note | None]:
    distinct = list(dict.fromkeys(values))
    if axis != COMMIT:
        by_text = in_order(distinct)
        note = None if axis in HELD else _other_order(runs[TIME].groupby(values), axis, by_text)
        return {value: number for number, value in enumerate(by_text)}, note
    known = known_positions(distinct, repository)
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


def _placed(by_time: Sequence[Any], known: Mapping[Any, int]) -> dict[Any, int]:
    """Commits that git does not know follow the latest of the known ones whose first run was before theirs."""
    latest, keys = -1, dict[Any, tuple[int, int]]()
    for number, commit in enumerate(by_time):
        latest = max(latest, known.get(commit, -1))
        keys[commit] = (known[commit], -1) if commit in known else (latest, number)
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys.values())))}
    return {commit: ranks[key] for commit, key in keys.items()}


def _other_order(times: Any, axis: str, by_text: Sequence[Any]) -> Note | None:
    """A Note where labels are dates or versions, and the runs of one were all made before those of the next, but in
    another order than that of the labels.
    """
    first, last = times.min(), times.max()
    by_time = sorted(by_text, key=first.get)
    texts = [str(value) for value in by_text]
    is_date = all(map(_DATE_OR_VERSION.search, texts))
    are_other_numbers = all(map(_DECIMAL.fullmatch, texts)) and sorted(texts, key=float) != texts
    if by_time == list(by_text) or len(texts) < _FEWEST_LABELS or not (is_date or are_other_numbers):
        return None
    if any(last[one] >= first[other] for one, other in pairwise(by_time)):
        return None
    early, late = next((one, other) for one, other in pairwise(by_text) if first[other] < first[one])
    first_name, then = (clipped(str(value), 40) for value in (early, late))
    message = f"sorted by {axis}, {first_name} is before {then}, but its runs are later: the order may be another"
    hint = "labels that sort as they follow each other: 2026-02-06, 1.10.0-rc1; or order by time: --by made_at"
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


def _on_other_branches(commits: Sequence[str], repository: str) -> list[str]:
    """Those that git knows, but not in the history of what is checked out, or of the newest commit if that has it."""
    positions = known_positions(commits, repository)
    by_place = sorted(positions, key=positions.__getitem__)
    if not by_place:
        return []
    outside = _outside("HEAD", by_place, repository)
    is_ahead = outside and _git(repository, "merge-base", "--is-ancestor", "HEAD", outside[-1]) is not None
    if is_ahead or len(outside) == len(by_place):
        return _outside(outside[-1], by_place, repository)
    return outside


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
