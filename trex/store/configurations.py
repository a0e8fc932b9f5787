"""Runs of a model → the configurations whose runs make one series, and their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from trex.compare.run_settings import MEASURED_AS, STREAMS, TRANSFERS
from trex.store.commits import short_commit
from trex.store.run import MEASURED
from trex.store.run_order import HELD
from trex.store.selection import NAMES_OF_SWEEPS

if TYPE_CHECKING:
    import pandas as pd

NAMED = ("gpu", "provenance", "backend", "precision", "batch", "shapes")
"""Columns of ``runs`` that make a configuration, with the build options and the labels."""
_MOST_PARTS = 16
"""In a configuration's name: a thousand labels would make names of a thousand words."""


def configurations(runs: pd.DataFrame, axis: str) -> list[tuple[dict[str, str], np.ndarray]]:
    """(configuration, numbers of its rows), the ones with most runs first."""
    held = HELD.get(axis, ())
    ignored = _release_options(runs)
    rows = runs[[*NAMED, *held, "options", "labels"]].to_dict("records")
    keys = [_configuration(row, axis, held, ignored) for row in rows]
    groups: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for index, key in enumerate(keys):
        groups.setdefault(key, []).append(index)
    for key, indexes in list(groups.items()):
        options = {index: rows[index]["options"] or {} for index in indexes}
        differing = [
            name
            for name in sorted(ignored)
            if len({text for own in options.values() if (text := own.get(name)) is not None}) > 1
        ]
        if differing:  # no default of newer releases, which older ones have, too
            del groups[key]
            for index, own in options.items():
                more = ((f"option {name}", str(own[name])) for name in differing if name in own)
                groups.setdefault((*key, *more), []).append(index)
    parts = [(dict(key), np.array(indexes)) for key, indexes in groups.items()]
    return sorted(parts, key=lambda part: (-len(part[1]), sorted(part[0].items())))


def _release_options(runs: pd.DataFrame) -> frozenset[str]:
    """Build options that every run of some TensorRT releases has, and no run of the others: releases print other ones.
    Runs without the files of their build have none.
    """
    of_release: dict[Any, list[set[str]]] = {}
    for release, options in zip(runs["tensorrt"], runs["options"], strict=True):
        if own := set(options or ()).difference(MEASURED_AS):
            of_release.setdefault(release, []).append(own)
    every = Counter(name for lists in of_release.values() for name in set.intersection(*lists))
    some = Counter(name for lists in of_release.values() for name in set.union(*lists))
    return frozenset(name for name, count in some.items() if every[name] == count < len(of_release))


def _configuration(
    row: Mapping[str, Any], axis: str, held: Sequence[str], ignored: frozenset[str]
) -> tuple[tuple[str, str], ...]:
    result = {}
    for name in (*NAMED, *held):
        value = row[name]
        if value is not None and value == value:
            result[name] = f"{value:.15g}" if isinstance(value, float) else str(value)
    labels = {
        name: text for name, text in (row["labels"] or {}).items() if name != axis and name not in NAMES_OF_SWEEPS
    }
    options = {name: text for name, text in (row["options"] or {}).items() if name not in ignored}
    for prefix, pairs in (("", labels), ("option ", options)):
        for name, text in sorted(pairs.items()):
            key = f"{prefix}{name}"
            if result.get(key) != str(text):
                result[f"label {name}" if key in result else key] = str(text)
    return tuple(result.items())


def configuration_names(configurations: Sequence[Mapping[str, str]]) -> list[str]:
    """Short and unique: the parts in which they differ, and always GPU and provenance unless measured. Of more than
    _MOST_PARTS the first, and a number where these are equal.
    """
    texts: dict[str, list[str]] = {}
    for one in configurations:
        for name, text in one.items():
            texts.setdefault(name, []).append(text)
    differing = [name for name, values in texts.items() if len(set(values)) > 1 or len(values) < len(configurations)]
    shown, seen = differing[:_MOST_PARTS], Counter[str]()
    words = [" · ".join(dict.fromkeys(part_words(one, shown))) or "all runs" for one in configurations]
    if len(differing) == len(shown):
        return words
    for at, name in enumerate(words):
        seen[name] += 1
        words[at] = name if seen[name] == 1 else f"{name} ({seen[name]})"
    return words


def part_words(
    configuration: Mapping[str, str], differing: Sequence[str], always: Sequence[str] = ("gpu", "provenance")
) -> Iterator[str]:
    for name in dict.fromkeys((*always, *differing)):
        value = configuration.get(name)
        if name == "provenance" and value == MEASURED and name not in differing:
            continue
        if value is None:
            if name in differing:
                plain = name.removeprefix("option ")
                yield f"{plain} unknown" if plain in (STREAMS, TRANSFERS) else f"no {plain}"
        elif name in ("gpu", "provenance", "precision", "backend"):
            yield value.removeprefix("NVIDIA ")
        else:
            yield f"{name.removeprefix('option ')} {short_commit(value) if name in ('commit', 'model_hash') else value}"
