"""Line: one figure of a benchmark; how lines are measured, shown and kept."""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Line:
    """One figure of the table. target: the most it may be (the least, if ``is_least``), None where nothing was
    promised. aside: a comparison.
    """

    what: str
    value: float | None
    unit: str
    target: float | None = None
    aside: str = ""
    samples: tuple[float, ...] = ()
    is_least: bool = False

    @property
    def verdict(self) -> str:
        if self.target is None or self.value is None:
            return ""
        return "met" if (self.value >= self.target if self.is_least else self.value <= self.target) else "MISSED"


# A name for when it cannot be measured, and what measures it.
Part = tuple[str, Callable[[], Iterator[Line]]]


def measure(parts: Sequence[Part], show: Callable[[Line], None]) -> list[Line]:
    """The lines of all parts, each shown as soon as it is known; a part that fails is a line that says so."""
    lines = []

    def keep(line: Line) -> None:
        show(line)
        lines.append(line)

    for part, run in parts:
        try:
            for line in run():
                keep(line)
        except (RuntimeError, subprocess.CalledProcessError) as error:
            keep(Line(part, None, "", aside=f"could not be measured: {error}"))
    return lines


def child(*arguments: str) -> dict[str, Any]:
    """What one measurement in a fresh process reports. Raises RuntimeError with its last words when it fails."""
    command = [sys.executable, "-m", "tests.benchmarks.child", *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{arguments[0]}: {done.stderr.strip().splitlines()[-1:]}")
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def environment() -> dict[str, str]:
    """Ours, with bytecode kept, as an installed package has it: to compile trex again takes 0.3 s in each process."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float | None:
    """Slope of log(seconds) over log(sizes) by least squares; None with fewer than two sizes."""
    if len(sizes) < 2:
        return None
    xs, ys = [math.log(s) for s in sizes], [math.log(t) for t in seconds]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / sum((x - mx) ** 2 for x in xs)


def counted(layers: int) -> str:
    return f"{layers:,} layers".replace(",", " ")


HEADING = f"{'':<42}{'best':>9}      {'target':<13}"


def row_text(line: Line) -> str:
    value = "–" if line.value is None else f"{line.value:.3g}" if line.value < 100 else f"{line.value:.0f}"
    sign = "≥" if line.is_least else "≤"
    target = "" if line.target is None else f"{sign} {line.target:g} {line.unit}".rstrip()
    return f"{line.what:<42}{value:>9} {line.unit:<5}{target:<13}{line.verdict:<8}{line.aside}".rstrip()


def summary(lines: Sequence[Line]) -> str:
    verdicts = [line.verdict for line in lines]
    return f"{verdicts.count('met')} targets met, {verdicts.count('MISSED')} missed"


def machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "processors": os.cpu_count(),
        **{name: _version(name) for name in ("pandas", "numpy", "orjson", "graphviz", "playwright")},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def write_json(path: str | Path, lines: Sequence[Line], **facts: Any) -> None:
    rows = [asdict(line) | {"verdict": line.verdict} for line in lines]
    document = {"machine": machine() | facts, "lines": rows}
    Path(path).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
