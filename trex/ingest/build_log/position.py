"""Position: the build, the pass, the line and the time at which a log is being read."""

from __future__ import annotations

from calendar import timegm
from dataclasses import dataclass


@dataclass(slots=True)
class Position:
    """build, strategy_pass: indexes of the current ones. started: the first clock of the build, as printed."""

    build: int = 0
    strategy_pass: int = 0
    line: int = 0
    clock: bytes = b""
    started: bytes = b""

    @property
    def at(self) -> tuple[int, int]:
        return self.build, self.strategy_pass

    @property
    def clock_s(self) -> float:
        """Seconds from the first clock of the build; NaN without clocks."""
        return _seconds(self.clock) - _seconds(self.started)


def _seconds(clock: bytes) -> float:
    """Seconds of ``MM/DD/YYYY-HH:MM:SS`` since 1970; NaN for anything else."""
    try:
        month, day, year, hour, minute, second = (
            int(clock[start:end]) for start, end in ((0, 2), (3, 5), (6, 10), (11, 13), (14, 16), (17, 19))
        )
        return float(timegm((year, month, day, hour, minute, second)))
    except ValueError:
        return float("nan")
