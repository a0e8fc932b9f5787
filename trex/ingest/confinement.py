"""Roots: the folders that files may be read from while a server answers others, links resolved."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from trex.core.errors import TrexError

_ROOTS: ContextVar[tuple[str, ...] | None] = ContextVar("trex_roots", default=None)


@contextmanager
def confined(roots: Sequence[str | os.PathLike[str]]) -> Iterator[None]:
    """While it is open, this thread reads files inside these folders only, and writes none.

    ``opening.open_file`` refuses others; a folder whose run was killed is read as it is, not repaired.
    """
    token = _ROOTS.set(tuple(map(os.path.realpath, roots)))
    try:
        yield
    finally:
        _ROOTS.reset(token)


def is_confined() -> bool:
    return _ROOTS.get() is not None


def may_read(address: str) -> bool:
    """Whether a file or folder is inside the roots, links resolved; everywhere without roots."""
    roots = _ROOTS.get()
    return roots is None or is_inside(address, roots)


def is_inside(address: str, roots: Sequence[str]) -> bool:
    """roots: resolved paths."""
    try:
        path = os.path.realpath(address)
    except (OSError, ValueError):
        return False
    return any(path == root or path.startswith(os.path.join(root, "")) for root in roots)  # noqa: PTH118


def refuse_outside(address: str) -> None:
    """Raises TrexError for a file outside the roots."""
    if not may_read(address):
        raise outside(address)


def outside(address: str) -> TrexError:
    """The error for a path outside the roots; says nothing of what is there."""
    hint = "use a path inside them (links count by where they lead), or start the server with another folder"
    return TrexError("this path is outside the folders given at start", hint, address)
