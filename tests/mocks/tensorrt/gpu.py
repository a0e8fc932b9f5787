"""A GPU that is not there: memory that is only counted, streams, events and graphs on a clock of its own."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

LAUNCH_MS = 0.002


class Gpu:
    """clock_ms: the time of its events. capturing: the stream that records its calls, and the calls."""

    def __init__(self) -> None:
        self.clock_ms = 100.0
        self.is_absent = False
        self.refuses_capture = False
        self.memory: dict[int, int] = {}
        self.host: dict[int, Any] = {}
        self.capturing: dict[int, list[Callable[[], None]]] = {}
        self.copies = 0
        self._next = 0x7F0000000000

    def allocate(self, size: int) -> int:
        address = self._next
        self._next += (size + 511) // 512 * 512
        self.memory[address] = size
        return address

    def allocate_host(self, size: int) -> int:
        memory = ctypes.create_string_buffer(size)
        self.host[ctypes.addressof(memory)] = memory
        return ctypes.addressof(memory)

    def do(self, stream: int, work: Callable[[], None]) -> None:
        """Now, or whenever the graph is launched that is being captured."""
        if stream in self.capturing:
            self.capturing[stream].append(work)
        else:
            work()

    def spend(self, milliseconds: float) -> None:
        self.clock_ms += milliseconds

    def copy(self, stream: int, to: int, start: int, size: int) -> None:
        """One side is device memory that was allocated, as is the other on the host."""
        sides = ({to, start} & self.memory.keys(), {to, start} & self.host.keys())
        if not all(sides) or any(self.memory[address] < size for address in sides[0]):
            raise ValueError("invalid argument")

        def work() -> None:
            self.copies += 1
            self.spend(size / 25e6)

        self.do(stream, work)


GPU = Gpu()
