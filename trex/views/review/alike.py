"""Findings → findings of one kind together: what a person reads once instead of forty times.

Findings are alike when one rule tells them in the same words, whatever names and numbers stand between the words; types
of data count as words. Only what people read is folded so: programs get every finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from trex.core.printable import clipped
from trex.views.review.reading import Told, few

_NAMES = re.compile(r"'[^']*'|\"[^\"]*\"|\{[^{}]*\}|\[[^\[\]]*\]|Reformatting CopyNode for \w+ Tensor \d+ to")
# Words are in lower case, types of data, or the type of a layer in brackets.
_WORD = re.compile(r"(?<![\w./:-])(?:[a-z]+|(?:FP|BF|TF|INT|UINT)\d+|BOOL)(?![\w./])|(?<=\()[A-Z][A-Za-z]+(?=\))")
_OF_LISTS = frozenset({"and", "more"})
_LONGEST = 40


def together(findings: Sequence[Told]) -> tuple[Told, ...]:
    """One for each kind: the dearest, with the others in ``alike`` and the sums of all as its prices.

    By these sums, what limits the measurement first; of equal sums in the order given.
    """
    kinds: dict[tuple[object, ...], list[Told]] = {}
    for each in findings:
        key = (each.rule, each.severity, each.is_first, each.by_itself_ms is None, *_words(each))
        kinds.setdefault(key, []).append(each)
    folded = [_folded(alike) for alike in kinds.values()]
    return tuple(sorted(folded, key=lambda each: (not each.is_first, -(each.counted_ms or 0.0))))


def alike_text(told: Told, most: int = 0) -> str:
    """``… and 37 alike: a, b and 35 more``, at most so many names; "" for a finding of its own kind."""
    names = [clipped(each.layers[0], _LONGEST) for each in told.alike if each.layers] if most else []
    listed = f": {few(names, most)}" if names else ""
    return f"… and {len(told.alike):,} alike{listed}" if told.alike else ""


def _words(told: Told) -> tuple[str, ...]:
    """The words of the message and of the advice, without names and numbers."""
    texts = (_NAMES.sub(" ", text) for text in (told.message, *told.advice))
    return tuple(" ".join(word for word in _WORD.findall(text) if word not in _OF_LISTS) for text in texts)


def _folded(alike: Sequence[Told]) -> Told:
    if len(alike) == 1:
        return alike[0]
    return replace(
        alike[0],
        counted_ms=_sum(each.counted_ms for each in alike),
        by_itself_ms=_sum(each.by_itself_ms for each in alike),
        share_pct=_sum(each.share_pct for each in alike),
        alike=tuple(alike[1:]),
    )


def _sum(numbers: Iterable[float | None]) -> float | None:
    known = [each for each in numbers if each is not None]
    return sum(known) if known else None
