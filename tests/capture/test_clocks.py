"""Clocks are locked, reported and restored, however the block ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.mocks.nvml import INVALID_ARGUMENT, NO_PERMISSION, NOT_SUPPORTED, Nvml
from trex.capture import nvml as access
from trex.capture.clocks import GPUConfigurator
from trex.core.errors import TrexError

pytestmark = pytest.mark.usefixtures("terminal_signals")

ROOT = Path(__file__).resolve().parents[2]
LOCKED = [("nvmlDeviceSetMemoryLockedClocks", 1000, 1512, 1512), ("nvmlDeviceSetGpuLockedClocks", 1000, 1410, 1410)]
UNLOCKED = [("nvmlDeviceResetGpuLockedClocks", 1000), ("nvmlDeviceResetMemoryLockedClocks", 1000)]
HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def handlers() -> list[Any]:
    return [signal.getsignal(number) for number in HANDLED]


@pytest.mark.parametrize("value", [None, "max"])
def test_clocks_are_locked_and_unlocked(nvml: Nvml, value: str | None) -> None:
    before = handlers()
    with GPUConfigurator(compute_clk=value, memory_clk=value) as configured:
        assert nvml.calls == LOCKED
        assert configured.applied == {"memory_clock_mhz": 1512, "compute_clock_mhz": 1410}
        assert handlers() != before
    assert nvml.calls == LOCKED + UNLOCKED
    assert not configured.notes and not nvml.is_open
    assert handlers() == before


def test_given_values_are_set_and_the_former_limit_comes_back(nvml: Nvml) -> None:
    nvml.power_limit_mw = 280_000  # neither the default nor the highest
    with GPUConfigurator(power_limit=250, compute_clk="1200", memory_clk=1215.0) as configured:
        assert configured.applied == {"power_limit_w": 250, "memory_clock_mhz": 1215, "compute_clock_mhz": 1200}
        assert nvml.power_limit_mw == 250_000
    assert nvml.power_limit_mw == 280_000
    assert nvml.calls[:3] == [
        ("nvmlDeviceSetPowerManagementLimit", 1000, 250_000),
        ("nvmlDeviceSetMemoryLockedClocks", 1000, 1215, 1215),
        ("nvmlDeviceSetGpuLockedClocks", 1000, 1200, 1200),
    ]


def test_only_what_was_changed_is_put_back(nvml: Nvml) -> None:
    with GPUConfigurator(power_limit="300", dont_lock_clocks=True) as configured:
        pass
    assert nvml.calls == [] and configured.applied == {}
    nvml.failing["nvmlDeviceSetMemoryLockedClocks"] = NOT_SUPPORTED
    with GPUConfigurator():
        pass
    assert [call[0] for call in nvml.calls] == ["nvmlDeviceSetGpuLockedClocks", "nvmlDeviceResetGpuLockedClocks"]
    nvml.calls.clear()
    with GPUConfigurator(power_limit="max", dont_lock_clocks=True):
        assert nvml.power_limit_mw == 310_000
    assert nvml.power_limit_mw == 300_000


def test_nothing_to_do_touches_nothing(nvml: Nvml, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    before = handlers()
    with GPUConfigurator(dont_lock_clocks=True) as configured:
        assert handlers() == before
    assert not configured.notes


def test_no_permission_is_one_warning_with_the_command(nvml: Nvml) -> None:
    for name in ("PowerManagementLimit", "MemoryLockedClocks", "GpuLockedClocks"):
        nvml.failing[f"nvmlDeviceSet{name}"] = NO_PERMISSION
    with GPUConfigurator(power_limit=250) as configured:
        pass
    (note,) = configured.notes
    assert (note.code, note.severity) == ("clocks-not-locked", "warning")
    assert "power limit 250 W, memory clock 1512 MHz, compute clock 1410 MHz" in note.message
    for command in ("-pl 250", "-lmc 1512,1512", "-lgc 1410,1410", "-rgc", "-rmc", "-pl 300"):
        assert f"sudo nvidia-smi -i 0 {command}" in note.hint
    assert nvml.calls == [] and not configured.applied


@pytest.mark.parametrize("code", [NOT_SUPPORTED, INVALID_ARGUMENT])
def test_not_supported_is_one_warning(nvml: Nvml, code: int) -> None:
    nvml.failing |= {"nvmlDeviceSetMemoryLockedClocks": code, "nvmlDeviceGetMaxClockInfo": NOT_SUPPORTED}
    with GPUConfigurator(memory_clk=900) as configured:
        pass
    (note,) = configured.notes
    assert "memory clock 900 MHz" in note.message and "compute clock (Not Supported)" in note.message
    assert "--dont-lock-clocks" in note.hint


def test_a_power_limit_alone_is_reported_as_one(nvml: Nvml, monkeypatch: pytest.MonkeyPatch) -> None:
    nvml.failing["nvmlDeviceSetPowerManagementLimit"] = NOT_SUPPORTED
    with GPUConfigurator(power_limit=250, dont_lock_clocks=True) as configured:
        pass
    (note,) = configured.notes
    assert note.code == "power-limit-not-set" and "clock" not in note.message
    assert note.message.endswith("the run keeps the current limit")
    assert note.hint.endswith("leave --power-limit out")
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with GPUConfigurator(power_limit=250, dont_lock_clocks=True) as configured:
        pass
    assert configured.notes[0].message.startswith("setting the GPU's power limit needs the package")


def test_an_absent_package_is_one_warning(nvml: Nvml, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with GPUConfigurator() as configured:
        pass
    (note,) = configured.notes
    assert "[gpu]" in note.hint


def test_a_jetson_is_reported_its_own_commands(nvml: Nvml) -> None:
    access._JETSON_RELEASE.write_text("# R36 (release), REVISION: 4.3")
    nvml.failing |= {"nvmlDeviceSetMemoryLockedClocks": NOT_SUPPORTED, "nvmlDeviceSetGpuLockedClocks": NO_PERMISSION}
    with GPUConfigurator() as configured:
        pass
    (note,) = configured.notes
    assert "nvpmodel -m 0" in note.hint and "nvidia-smi" not in note.hint


def test_an_old_binding_is_reported(nvml: Nvml, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Nvml, "nvmlDeviceSetMemoryLockedClocks")
    with GPUConfigurator() as configured:
        pass
    assert "too old" in configured.notes[0].message


def test_an_exception_restores(nvml: Nvml) -> None:
    before = handlers()
    with pytest.raises(ZeroDivisionError), GPUConfigurator():
        raise ZeroDivisionError
    assert nvml.calls == LOCKED + UNLOCKED
    assert handlers() == before


def test_what_cannot_be_put_back_is_a_problem_and_the_rest_is(nvml: Nvml) -> None:
    with GPUConfigurator(power_limit=200) as configured:
        nvml.failing["nvmlDeviceResetGpuLockedClocks"] = NO_PERMISSION
    (note,) = configured.notes
    assert (note.code, note.severity, note.hint) == (
        "clocks-not-restored",
        "problem",
        "sudo nvidia-smi -i 0 -rgc",
    )
    assert nvml.power_limit_mw == 300_000


def test_former_handlers_run_after_the_clocks_are_back(nvml: Nvml) -> None:
    seen: list[Any] = []
    previous = signal.signal(signal.SIGTERM, lambda number, frame: seen.append((number, list(nvml.calls))))
    try:
        with GPUConfigurator() as configured:
            signal.raise_signal(signal.SIGTERM)
            assert seen == [(signal.SIGTERM, LOCKED + UNLOCKED)]
        assert nvml.calls == LOCKED + UNLOCKED  # once
        assert not configured.notes
    finally:
        signal.signal(signal.SIGTERM, previous)


def test_ctrl_c_is_a_keyboard_interrupt_as_ever(nvml: Nvml) -> None:
    before = handlers()
    with pytest.raises(KeyboardInterrupt), GPUConfigurator():
        signal.raise_signal(signal.SIGINT)
    assert nvml.calls == LOCKED + UNLOCKED
    assert handlers() == before


def test_a_signal_while_clocks_are_being_set_waits(nvml: Nvml, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Nvml, handle: int, low: int, high: int) -> None:
        signal.raise_signal(signal.SIGINT)
        self._change("nvmlDeviceSetMemoryLockedClocks", handle, low, high)

    monkeypatch.setattr(Nvml, "nvmlDeviceSetMemoryLockedClocks", interrupted)
    before = handlers()
    with pytest.raises(KeyboardInterrupt), GPUConfigurator():
        pytest.fail("the block must not be entered")
    assert nvml.calls == LOCKED + UNLOCKED
    assert handlers() == before and not nvml.is_open


def test_ignored_signals_stay_ignored(nvml: Nvml) -> None:
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # nohup
    try:
        with GPUConfigurator():
            signal.raise_signal(signal.SIGHUP)
            assert nvml.calls == LOCKED
    finally:
        signal.signal(signal.SIGHUP, previous)


def test_a_handler_put_in_our_place_stays(nvml: Nvml) -> None:
    previous = signal.getsignal(signal.SIGTERM)
    try:
        with GPUConfigurator():
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, previous)


def test_other_threads_take_no_signals(nvml: Nvml) -> None:
    def locked() -> None:
        with GPUConfigurator():
            pass

    thread = threading.Thread(target=locked)
    thread.start()
    thread.join()
    assert nvml.calls == LOCKED + UNLOCKED


@pytest.mark.parametrize("number", HANDLED)
def test_a_program_that_is_ended_restores(number: int) -> None:
    program = f"""
        import os, signal, sys
        sys.path.insert(0, {str(ROOT)!r})
        from tests.mocks.nvml import Nvml
        nvml = sys.modules["pynvml"] = Nvml()
        nvml._change = lambda name, *values: os.write(1, (name + "\\n").encode())
        from trex.capture.clocks import GPUConfigurator
        with GPUConfigurator():
            os.kill(os.getpid(), {int(number)})
            signal.pause()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == -number, done.stderr
    assert done.stdout.split() == [call[0] for call in LOCKED + UNLOCKED]


@pytest.mark.parametrize("value", ["fast", "", 0, -5, float("nan"), "1e9", [1]])
def test_values_that_are_no_numbers(value: Any) -> None:
    with pytest.raises(TrexError, match="compute clock"):
        GPUConfigurator(compute_clk=value)
