"""Library: what a way to the GPU must be able to do so that its ceilings can be measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from trex.core.device_facts import DeviceFacts
from trex.core.registry import Registry
from trex.perf.arithmetic import Arithmetic

Launch = Callable[[], object]
"""Puts one piece of work on the GPU's queue and returns without waiting for it."""


class Library(Protocol):
    """A library that is installed, at one GPU. Making one raises ImportError when it is not installed, and anything
    else when no GPU can be used with it.

    words: name and release, for people. arithmetics: what it can multiply matrices in; ``product`` may still refuse one
    with any exception, as releases and GPUs differ.
    """

    words: str
    arithmetics: tuple[Arithmetic, ...]

    def facts(self) -> DeviceFacts:
        """What the library tells of the GPU."""
        ...

    def copy(self, size_bytes: int) -> Launch:
        """A copy of so many bytes from one place of the GPU's memory to another."""
        ...

    def product(self, arithmetic: Arithmetic, side: int) -> Launch:
        """A product of two square matrices of ``side`` rows."""
        ...

    def elapsed_ms(self, launch: Launch, times: int, meanwhile: Callable[[], object] = ...) -> float:
        """Milliseconds of the GPU's own clock between an event before ``times`` launches and one behind them.

        meanwhile: called when all is queued and before the end is waited for.
        """
        ...

    def release(self) -> None:
        """Frees what earlier copies and products held."""
        ...


LIBRARIES = Registry("trex.capture.ceilings.libraries", "LIBRARY")
