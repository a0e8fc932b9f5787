"""Findings → similar findings folded into one: what a person reads once instead of forty times.

Findings are similar when one rule reports them in the same words, whatever the names and numbers between the words;
data types count as words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from trex.rules.lint_result import RankedFinding

_NAMES = re.compile(r"'[^']*'|\"[^\"]*\"|\{[^{}]*\}|\[[^\[\]]*\]|Reformatting CopyNode for \w+ Tensor \d+ to")
# Words are in lower case, data types, or the type of a layer in parentheses.
_WORD = re.compile(r"(?<![\w./:-])(?:[a-z]+|(?:FP|BF|TF|INT|UINT)\d+|BOOL)(?![\w./])|(?<=\()[A-Z][A-Za-z]+(?=\))")
_OF_LISTS = frozenset({"and", "more"})


def fold_similar(findings: Sequence[RankedFinding]) -> tuple[RankedFinding, ...]:
    """One finding per kind: the most expensive, with the others in ``similar`` and the sums of all as its savings.

    Findings with ``is_first`` come first, then by these sums of likely savings, or by the time that findings without
    savings are about; equal sums keep the order given.
    """
    kinds: dict[tuple[object, ...], list[RankedFinding]] = {}
    for finding in findings:
        key = (finding.rule, finding.severity, finding.is_first, finding.savings_alone_ms is None, *_words(finding))
        kinds.setdefault(key, []).append(finding)
    folded = [_folded(similar) for similar in kinds.values()]
    return tuple(
        sorted(
            folded, key=lambda finding: (not finding.is_first, -max(finding.likely_savings_ms or 0.0, finding.about_ms))
        )
    )


def _words(finding: RankedFinding) -> tuple[str, ...]:
    """The words of message and fix, without names and numbers."""
    texts = (_NAMES.sub(" ", text) for text in (finding.message, *finding.fix))
    return tuple(" ".join(word for word in _WORD.findall(text) if word not in _OF_LISTS) for text in texts)


def _folded(similar: Sequence[RankedFinding]) -> RankedFinding:
    if len(similar) == 1:
        return similar[0]
    return replace(
        similar[0],
        savings_ms=_sum(finding.savings_ms for finding in similar),
        savings_alone_ms=_sum(finding.savings_alone_ms for finding in similar),
        likely_savings_ms=_sum(finding.likely_savings_ms for finding in similar),
        share_pct=_sum(finding.share_pct for finding in similar),
        about_ms=sum(finding.about_ms for finding in similar),
        similar=tuple(similar[1:]),
    )


def _sum(numbers: Iterable[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None
