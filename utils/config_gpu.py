#!/usr/bin/env python3
"""Locks a GPU's clocks while a command runs, then restores them; a thin launcher.

python utils/config_gpu.py --compute-clk 1200 -- trtexec --loadEngine=model.engine
python utils/config_gpu.py                    prints the GPU's maximum clocks, changes nothing
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from trex.capture.clocks import GPUConfigurator, get_max_clocks, nvmlContext
from trex.capture.monitor import GPUMonitor
from trex.cli.console import read_to_the_end
from trex.core.errors import TrexError

__all__ = ["GPUConfigurator", "GPUMonitor", "get_max_clocks", "nvmlContext"]


def main(argv: Sequence[str] | None = None) -> int:
    """The command's exit code; 2 for usage or input errors."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--power-limit", metavar="W", help="watts, or max (default: no change)")
    parser.add_argument("--compute-clk", metavar="MHZ", help="default: the maximum")
    parser.add_argument("--memory-clk", metavar="MHZ", help="default: the maximum")
    parser.add_argument("--dev", type=int, default=0, help="CUDA index of the GPU (default 0)")
    parser.add_argument("--monitor", metavar="FILE", help="write the GPU's clocks, power and temperature as JSON")
    parser.add_argument("command", nargs="*", help="the command to run, after --")
    options = parser.parse_args(argv)
    try:
        if not options.command:
            with nvmlContext(options.dev) as device:
                memory, graphics = get_max_clocks(device)
            print(f"GPU {options.dev}: memory clock up to {memory} MHz, compute clock up to {graphics} MHz")
            return 0
        configurator = GPUConfigurator(options.power_limit, options.compute_clk, options.memory_clk, options.dev)
        monitor = GPUMonitor(options.monitor is not None, options.dev, output=options.monitor)
        with configurator, monitor:
            for note in configurator.notes:
                print(note, file=sys.stderr)
            code, stopped_by = run(options.command)
        for note in (*configurator.notes, *monitor.notes):
            if note.code not in ("clocks-not-locked", "gpu-order-unclear"):
                print(note, file=sys.stderr)
        if stopped_by is not None:
            signal.raise_signal(stopped_by)
        return code
    except TrexError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"{options.command[0]}: {error.strerror}", file=sys.stderr)
    return 2


def run(command: Sequence[str]) -> tuple[int, int | None]:
    """(exit code, signal that stopped it): the command ends first, then its clocks are restored. Its streams are ours.

    Ctrl-C of a terminal reaches the command without us.
    """
    came: list[int] = []
    children: list[subprocess.Popen[bytes]] = []

    def pass_on(number: int, _frame: object) -> None:
        came.append(number)
        for child in children:
            if number != signal.SIGINT:
                child.send_signal(number)

    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {
        one: signal.signal(one, pass_on) for one in numbers if signal.getsignal(one) not in (None, signal.SIG_IGN)
    }
    try:
        with subprocess.Popen(command) as child:
            children.append(child)
            if came:  # while it began
                child.send_signal(came[-1])
            code = child.wait()
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    return (code if code >= 0 else 128 - code), came[-1] if came else None


if __name__ == "__main__":
    with read_to_the_end():
        sys.exit(main())
