"""The mock trtexec: from the command line to the exit code, in trtexec's order.

Not modeled: what a wrong value of a rarely used option does, the search over build routes, several streams, DLA.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.mocks.arguments import BadValue, Parsed, Release, parse
from tests.mocks.console import Console, Failed
from tests.mocks.echo import option_lines
from tests.mocks.help_text import help_lines


def main(argv: list[str], version: str, behavior: str = "{}") -> int:
    """argv: as the program gets it. version: ``10.4.0``. Returns the exit code."""
    numbers = [int(part) for part in version.split(".")]
    run = _Run(argv, (numbers[0], numbers[1], numbers[2]), json.loads(behavior))
    return run.main()


class _Run:
    def __init__(self, argv: list[str], version: tuple[int, int, int], behavior: dict[str, object]) -> None:
        self.version = version
        self.release: Release = version[:2]
        self.words = argv[1:]
        self.title = title(version, argv)
        self.console = Console(behavior, "--verbose" in self.words)

    def main(self) -> int:
        console = self.console
        console.plain(f"&&&& RUNNING {self.title}")
        console.reach("start")
        try:
            parsed = parse(self.words, self.release)
        except BadValue as error:
            return self._refuse([str(error)])
        if parsed.wants_help:
            self._wait("help_delay")
            for line in help_lines(self.release):
                console.plain(line)
            if not self.words and self.release <= (11, 0):
                console.plain(f"&&&& PASSED {self.title}")
            return 0
        if parsed.unknown:
            return self._refuse([f"Unknown option: {key} {value}" for key, value in parsed.unknown])
        try:
            self._work(parsed)
        except Failed:
            console.plain(f"&&&& FAILED {self.title}")
            return 1
        console.reach("end")
        console.plain(f"&&&& PASSED {self.title}")
        return 0

    def _refuse(self, complaints: list[str]) -> int:
        """Until 9.x the complaints come before the help, since then after it; 11.1 has no banner."""
        console = self.console
        if self.release < (10, 0):
            for line in complaints:
                console.error(line)
        for line in help_lines(self.release):
            console.plain(line)
        if self.release >= (10, 0):
            for line in complaints:
                console.error(line)
        if self.release <= (11, 0):
            console.plain(f"&&&& FAILED {self.title}")
        return 1

    def _wait(self, key: str) -> None:
        delay = float(self.console.behavior.get(key, 0))
        if delay:
            import time

            sys.stdout.flush()
            time.sleep(delay)

    def _work(self, parsed: Parsed) -> None:
        console = self.console
        if self.release >= (10, 14) and not any(parsed.has(name) for name in ("stronglyTyped", "fp16", "bf16", "int8")):
            console.info(
                "TF32 is enabled by default. Add --noTF32 flag to further improve accuracy with some performance cost."
            )
        for line in parsed.warnings:
            console.warning(line)
        for line in option_lines(parsed, self.release):
            console.info(line)
        console.reach("options")
        if not parsed.has("cpuOnly"):
            console.device(self.release, parsed.number("device", 0))
        console.info(f"TensorRT version: {'.'.join(map(str, self.version))}")
        if self.release >= (8, 6):
            console.info("Loading standard plugins")
        for name in (*parsed.values.get("plugins", ()), *parsed.values.get("staticPlugins", ())):
            console.info(f"Loading supplied plugin library: {name}")
            if not Path(name).is_file():
                console.error(f"Could not load plugin library: {name}")
                raise Failed
        from tests.mocks.work import build, load, run  # only what runs needs the network

        engine = (
            load(console, parsed, self.version) if parsed.has("loadEngine") else build(console, parsed, self.version)
        )
        if parsed.has("skipInference") or parsed.has("buildOnly"):
            flag = "--buildOnly" if self.release <= (8, 5) else "--skipInference"
            if self.release >= (8, 4):
                console.info(f"Skipped inference phase since {flag} is added.")
            return
        run(console, parsed, self.release, engine)


def title(version: tuple[int, int, int], argv: list[str]) -> str:
    """``TensorRT.trtexec [TensorRT v101600] [b72] # trtexec --onnx=…``."""
    major, minor, patch = version
    number = major * (1000 if major < 10 else 10000) + minor * 100 + patch
    build = " [b72]" if (major, minor) >= (10, 4) else ""
    return f"TensorRT.trtexec [TensorRT v{number}]{build} # {' '.join(argv)}"
