"""What the mock prints and where it breaks: prefixed lines on stdout and stderr, delays, faults."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from tests.mocks.arguments import Release
from tests.mocks.echo import device_lines

PHASES = ("start", "options", "parse", "build", "serialize", "load", "inference", "profile", "export", "end")
VARIABLE = "TREX_MOCK"
_LONGEST_HANG_S = 120  # a test that forgets to stop it fails and does not hang

GARBAGE = b"\xff\xfe\x00\x1b[31;1mgarbage\x1b[0m \xc3\x28 \x1e\x1f \r\x08\n"


class Failed(Exception):
    """The run failed in trtexec's own way: its words were printed, the banner follows."""


class Console:
    """One run's output. behavior (each may be left out):

    at: the phase in which the fault comes (build). fault: ``fail`` (trtexec's own error), ``exit:N`` (ends at once, no
    banner), ``signal:N``, ``hang``, ``no-space`` (what is written in this phase is cut short), ``partial`` (cut short,
    then SIGKILL), ``garbage`` (bytes that are no text are printed, or written into the exports). pace: seconds that
    each of a dozen steps takes. ignore_signals: SIGINT and SIGTERM are ignored. chatter: as many further verbose lines.
    child: a file that gets the process id of a child that sleeps. help_delay: seconds before --help is answered.
    transfer_bound, unstable: the performance report warns of it. no_gpu: there is none.
    """

    def __init__(self, behavior: dict[str, Any], is_verbose: bool = False) -> None:
        self.behavior = {**behavior, **json.loads(os.environ.get(VARIABLE, "") or "{}")}
        self.is_verbose = is_verbose
        self._fault = str(self.behavior.get("fault", ""))
        self._at = self.behavior.get("at", "build")
        self.phase = "start"
        disposition = signal.SIG_IGN if self.behavior.get("ignore_signals") else signal.SIG_DFL
        signal.signal(signal.SIGINT, disposition)
        signal.signal(signal.SIGTERM, disposition)

    def plain(self, text: str) -> None:
        self._write(sys.stdout.buffer, text)

    def info(self, text: str = "") -> None:
        self._write(sys.stdout.buffer, f"{stamp()} [I] {text}")

    def verbose(self, text: str) -> None:
        if self.is_verbose:
            self._write(sys.stdout.buffer, f"{stamp()} [V] {text}")

    def warning(self, text: str) -> None:
        self._write(sys.stderr.buffer, f"{stamp()} [W] {text}")

    def error(self, text: str) -> None:
        self._write(sys.stderr.buffer, f"{stamp()} [E] {text}")

    def device(self, release: Release, number: int) -> None:
        """Prints the one device; without it, and for any other, trtexec ends at once, without a banner."""
        lines = list(device_lines(release))
        has_list = release >= (9, 1)
        if self.behavior.get("no_gpu") or (number and not has_list):
            self.info(lines[0])
            why = "no CUDA-capable device is detected" if self.behavior.get("no_gpu") else "invalid device ordinal"
            self._write(sys.stderr.buffer, f"Cuda failure: {why}")
            self._leave(1)
        for line in lines[:3] if number else lines:
            self.info(line)
        if number:
            self.info(f"Cannot find device ID {number}!")
            self._leave(1)

    def step(self) -> None:
        pace = float(self.behavior.get("pace", 0))
        if pace:
            time.sleep(pace)

    def reach(self, phase: str) -> None:
        """A phase begins; in the one of the fault, the fault comes. ``fail`` is left to ``fails``."""
        self.phase = phase
        if phase == "options" and self.behavior.get("child"):
            self._start_child(Path(self.behavior["child"]))
        if phase != self._at:
            return
        kind, _, number = self._fault.partition(":")
        if kind == "exit":
            self._leave(int(number))
        elif kind == "signal":
            self._die(int(number))
        elif kind == "hang":
            time.sleep(_LONGEST_HANG_S)
            self._leave(1)
        elif kind == "garbage":
            for stream in (sys.stdout.buffer, sys.stderr.buffer):
                stream.write(GARBAGE)
                stream.flush()
        elif kind == "partial" and phase not in ("serialize", "export"):
            sys.stdout.buffer.write(f"{stamp()} [I] [TRT] Half a li".encode())
            self._die(signal.SIGKILL)

    def fails(self, phase: str) -> bool:
        return self._at == phase and self._fault == "fail"

    def write_file(self, path: str, data: bytes) -> bool:
        """Writes what trtexec would; False when not all of it fitted."""
        kind = self._fault if self._at == self.phase else ""
        if kind == "garbage":
            data = GARBAGE * 3
        is_cut = kind in ("no-space", "partial")
        try:
            with Path(path).open("wb") as file:
                file.write(data[: len(data) // 2] if is_cut else data)
        except OSError:
            return False
        if kind == "partial":
            self._die(signal.SIGKILL)
        return not is_cut

    def _write(self, stream: Any, text: str) -> None:
        stream.write(text.encode("utf-8", "surrogateescape") + b"\n")
        stream.flush()

    def _start_child(self, report: Path) -> None:
        import subprocess

        child = subprocess.Popen([sys.executable, "-SEc", "import time; time.sleep(600)"])
        report.write_text(str(child.pid))

    def _leave(self, code: int) -> NoReturn:
        sys.stdout.flush()
        os._exit(code)

    def _die(self, number: int) -> NoReturn:
        import resource

        sys.stdout.flush()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(number, signal.SIG_DFL) if number not in (signal.SIGKILL, signal.SIGSTOP) else None
        os.kill(os.getpid(), number)
        while True:
            time.sleep(1)


def stamp() -> str:
    return time.strftime("[%m/%d/%Y-%H:%M:%S]")
