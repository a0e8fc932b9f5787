"""Steps: how far long work is, counted for a shell that watches it, and not counted otherwise."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(slots=True)
class Step:
    """Work on several: done of total. noun: one of them. weights: what each takes, where they differ much.

    start: of the first, as ``time.monotonic`` counts. reached: the largest share until now.
    """

    noun: str
    total: int
    done: int = 0
    weights: Sequence[float] = ()
    start: float = field(default_factory=time.monotonic)
    reached: float = 0.0

    def share(self, begun: float) -> float:
        """How much is done, 0 to 1, never less than before. begun: how much of the one that is begun."""
        weights = self.weights or [1.0] * self.total
        done = max(self.done, 0)
        now = (sum(weights[:done]) + begun * sum(weights[done : done + 1])) / (sum(weights) or 1.0)
        self.reached = max(self.reached, min(now, 1.0))
        return self.reached


@dataclass(slots=True)
class Steps:
    """open: the steps that are being worked on, each a part of the one before."""

    open: list[Step] = field(default_factory=list)

    @property
    def outermost(self) -> Step | None:
        """The first that has several parts."""
        return next((step for step in tuple(self.open) if step.total > 1), None)

    @property
    def share(self) -> float:
        """How much of the outermost is done, 0 to 1; parts that are begun count by what is done of them."""
        share = 0.0
        for step in reversed(tuple(self.open)):
            share = step.share(share)
        return share


_watched: ContextVar[Steps | None] = ContextVar("steps", default=None)


@contextmanager
def watched() -> Iterator[Steps]:
    """The steps of what is done inside, to be looked at from another thread."""
    token = _watched.set(Steps())
    try:
        steps = _watched.get()
        assert steps is not None
        yield steps
    finally:
        _watched.reset(token)


def is_watched() -> bool:
    return _watched.get() is not None


def in_steps(noun: str, items: Iterable[Item], total: int | None = None) -> Iterable[Item]:
    """The items, counted one by one. noun: what one is. total: how many, unless they have a length."""
    steps = _watched.get()
    if total is None:
        total = len(items) if isinstance(items, Sized) else 0
    return items if steps is None or not total else _in_steps(steps, Step(noun, total), items)


def _in_steps(steps: Steps, step: Step, items: Iterable[Item]) -> Iterator[Item]:
    steps.open.append(step)
    try:
        for item in items:
            yield item
            step.done += 1
    finally:
        steps.open.remove(step)


@contextmanager
def counter(noun: str, total: int, weights: Sequence[float] = ()) -> Iterator[Callable[[], None]]:
    """Yields what to call when the next one begins, for work that has no loop. weights: as of ``Step``."""
    steps = _watched.get()
    if steps is None:
        yield lambda: None
        return
    step = Step(noun, total, -1, weights)
    steps.open.append(step)

    def begin() -> None:
        step.done = min(step.done + 1, total)

    try:
        yield begin
    finally:
        steps.open.remove(step)
