"""``3f2c1ab`` → the commit of runs that it means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from trex.core.errors import TrexError
from trex.core.printable import printable

if TYPE_CHECKING:
    from trex.store.run_store import RunStore

_SHOWN = 10
_SHORT, _HASH = re.compile(r"[0-9a-f]{4,}"), re.compile(r"[0-9a-f]{7,}")


def short_commit(text: str) -> str:
    """The beginning of a hash; any other text, as a tag, whole."""
    return text[:_SHOWN] if _HASH.fullmatch(text) else text


def is_same_commit(left: str, right: str) -> bool:
    """Whether both are equal, or one is a shortened hash and the other begins with it."""
    if left == right or not (_HASH.fullmatch(left) and _HASH.fullmatch(right)):
        return left == right
    return left.startswith(right) or right.startswith(left)


def full_commit(store: RunStore, text: str, others: Iterable[str] = ()) -> str:
    """The commit of runs, or of ``others``, with this text; else the only hash that begins with it; else the text.

    A commit may be any text, as a tag: v1 is not v10. Raises TrexError for the beginning of several hashes.
    """
    rows = store.queries.rows("SELECT DISTINCT commit FROM runs WHERE starts_with(commit, ?)", [text])
    known = {str(row[0]) for row in rows} | {commit for commit in others if commit.startswith(text)}
    if not text or text in known or not _SHORT.fullmatch(text):
        return text
    hashes = sorted(commit for commit in known if _HASH.fullmatch(commit))
    if len(hashes) > 1:
        listed = ", ".join(hashes[:3])
        message = f"{len(hashes)} commits begin with {printable(text)[:40]!r}"
        raise TrexError(message, f"one of {listed}", store.storage.where)
    return hashes[0] if hashes else text
