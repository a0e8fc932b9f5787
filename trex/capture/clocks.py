"""GPUConfigurator: locks a GPU's clocks and power limit for a measurement and restores them afterwards."""

from __future__ import annotations

import math
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from trex.capture.nvml import JETSON_HINT, Gpu, get_max_clocks, is_jetson, nvmlContext, open_gpu
from trex.core.errors import TrexError
from trex.core.note import Note

__all__ = ["GPUConfigurator", "get_max_clocks", "nvmlContext"]

Wanted = int | float | str | None


@dataclass(frozen=True, slots=True)
class _Setting:
    """One setting. text: for messages. command, undo_command: the same with nvidia-smi, for the user."""

    key: str
    value: float
    text: str
    command: str
    undo_command: str
    apply: Callable[[], object]
    undo: Callable[[], object]


class GPUConfigurator:
    """Locks the clocks and sets the power limit of a GPU inside ``with``, and then restores what it changed.

    compute_clk, memory_clk: MHz, or "max"; None is "max" too. power_limit: watts, or "max"; None leaves it alone.
    dont_lock_clocks: leave the clocks alone. gpu_id: CUDA's number of the GPU.

    Without permission or support it does not fail: ``notes`` then has one warning with the command to run.
    ``applied`` has what was set: {"compute_clock_mhz": …, "memory_clock_mhz": …, "power_limit_w": …}. It is restored at
    the end of ``with``, also after an exception, and on SIGINT, SIGTERM and SIGHUP, before earlier handlers run; not
    after SIGKILL. NVML does not report clocks that were locked before, so those are unlocked.
    Raises TrexError for values that are not numbers. Tested with a mock; on a GPU no clock was locked yet.
    """

    def __init__(
        self,
        power_limit: Wanted = None,
        compute_clk: Wanted = None,
        memory_clk: Wanted = None,
        gpu_id: int = 0,
        dont_lock_clocks: bool = False,
    ) -> None:
        self.power_limit = _number(power_limit, "power limit", "watts")
        self.compute_clk = _number("max" if compute_clk is None else compute_clk, "compute clock", "MHz")
        self.memory_clk = _number("max" if memory_clk is None else memory_clk, "memory clock", "MHz")
        self.gpu_id = gpu_id
        self.dont_lock_clocks = dont_lock_clocks
        self.applied: dict[str, float] = {}
        self._notes: list[Note] = []
        self._done: list[_Setting] = []
        self._opened = ExitStack()
        self._signals = SignalChain(self.restore)
        self._lock = threading.RLock()

    @property
    def notes(self) -> tuple[Note, ...]:
        return tuple(self._notes)

    def __enter__(self) -> GPUConfigurator:
        if self.dont_lock_clocks and self.power_limit is None:
            return self
        try:
            self._signals.install()
            with self._signals.held():
                self._configure()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._close()

    def restore(self) -> None:
        """Undoes the changes, last one first; a second call does nothing."""
        with self._lock:
            while self._done:
                setting = self._done.pop()
                try:
                    setting.undo()
                except Exception as error:  # whatever the driver raises, the other settings must be restored
                    self._notes.append(
                        Note(
                            "clocks-not-restored",
                            f"the {setting.text} of GPU {self.gpu_id} could not be undone: {error}",
                            setting.undo_command,
                            severity="problem",
                        )
                    )

    def _close(self) -> None:
        try:
            with self._signals.held():
                self.restore()
                self._opened.close()
        finally:
            self._signals.uninstall()

    def _configure(self) -> None:
        try:
            gpu = self._opened.enter_context(open_gpu(self.gpu_id, purpose=self._purpose))
        except TrexError as error:
            self._notes.append(self._failure_note(error.message, error.hint))
            return
        self._notes.extend(gpu.notes)
        forbidden: list[_Setting] = []
        failed: list[str] = []
        for name, prepare in (
            ("power limit", self._power),
            ("memory clock", self._memory),
            ("compute clock", self._compute),
        ):
            setting = None
            try:
                setting = prepare(gpu)
                if setting is not None:
                    setting.apply()
                    self._done.append(setting)
            except gpu.nvml.NVMLError as error:
                if setting is not None and getattr(error, "value", None) == gpu.nvml.NVML_ERROR_NO_PERMISSION:
                    forbidden.append(setting)
                else:
                    failed.append(f"{setting.text if setting else name} ({error})")
            except AttributeError:
                failed.append(f"{name} (this nvidia-ml-py is too old)")
        self.applied = {setting.key: setting.value for setting in self._done}
        if forbidden or failed:
            self._notes.append(self._not_set(forbidden, failed))

    @property
    def _purpose(self) -> str:
        return "setting the GPU's power limit" if self.dont_lock_clocks else "locking the GPU's clocks"

    def _failure_note(self, reason: str, hint: str) -> Note:
        if self.dont_lock_clocks:
            return Note("power-limit-not-set", f"{reason}; the run keeps the current limit", hint)
        return Note("clocks-not-locked", f"{reason}; times may vary between runs", hint)

    def _not_set(self, forbidden: list[_Setting], failed: list[str]) -> Note:
        parts = [f"no permission to set {', '.join(setting.text for setting in forbidden)}"] if forbidden else []
        parts += [f"not set: {', '.join(failed)}"] if failed else []
        hints = [JETSON_HINT] if is_jetson() else []
        if forbidden and not hints:
            sudo = " && ".join(setting.command for setting in forbidden)
            undo = " && ".join(setting.undo_command for setting in reversed(forbidden))
            hints.append(f"{sudo} (afterwards: {undo})")
        elif not hints:
            option = "leave --power-limit out" if self.dont_lock_clocks else "use --dont-lock-clocks"
            hints.append(f"this GPU or driver does not support it; {option}")
        return self._failure_note(f"GPU {self.gpu_id}: {'; '.join(parts)}", "; ".join(hints))

    def _power(self, gpu: Gpu) -> _Setting | None:
        if self.power_limit is None:
            return None
        nvml, handle = gpu.nvml, gpu.handle
        before = nvml.nvmlDeviceGetPowerManagementLimit(handle)
        if self.power_limit == "max":
            wanted = nvml.nvmlDeviceGetPowerManagementLimitConstraints(handle)[1]
        else:
            wanted = round(float(self.power_limit) * 1000)
        if wanted == before:
            return None
        return _Setting(
            "power_limit_w",
            wanted / 1000,
            f"power limit {wanted / 1000:g} W",
            _smi(gpu, f"-pl {wanted / 1000:g}"),
            _smi(gpu, f"-pl {before / 1000:g}"),
            lambda: nvml.nvmlDeviceSetPowerManagementLimit(handle, wanted),
            lambda: nvml.nvmlDeviceSetPowerManagementLimit(handle, before),
        )

    def _memory(self, gpu: Gpu) -> _Setting | None:
        return self._locked(gpu, self.memory_clk, "memory", gpu.nvml.NVML_CLOCK_MEM, "Memory", "m")

    def _compute(self, gpu: Gpu) -> _Setting | None:
        return self._locked(gpu, self.compute_clk, "compute", gpu.nvml.NVML_CLOCK_GRAPHICS, "Gpu", "g")

    def _locked(self, gpu: Gpu, wanted: Wanted, name: str, domain: int, in_nvml: str, in_smi: str) -> _Setting | None:
        """in_nvml, in_smi: the clock's name in NVML's functions and in nvidia-smi's options."""
        if self.dont_lock_clocks:
            return None
        nvml, handle = gpu.nvml, gpu.handle
        clock = _clock(gpu, wanted, domain)
        return _Setting(
            f"{name}_clock_mhz",
            clock,
            f"{name} clock {clock} MHz",
            _smi(gpu, f"-l{in_smi}c {clock},{clock}"),
            _smi(gpu, f"-r{in_smi}c"),
            lambda: getattr(nvml, f"nvmlDeviceSet{in_nvml}LockedClocks")(handle, clock, clock),
            lambda: getattr(nvml, f"nvmlDeviceReset{in_nvml}LockedClocks")(handle),
        )


def _clock(gpu: Gpu, wanted: Wanted, domain: int) -> int:
    """Megahertz; the GPU's highest for "max"."""
    if isinstance(wanted, (int, float)):
        return round(wanted)
    return int(gpu.nvml.nvmlDeviceGetMaxClockInfo(gpu.handle, domain))


def _smi(gpu: Gpu, arguments: str) -> str:
    return f"{'' if os.name == 'nt' else 'sudo '}nvidia-smi -i {gpu.index} {arguments}"


def _number(value: Wanted, name: str, unit: str) -> Wanted:
    """A positive number, "max" or None."""
    if value is None or value == "max":
        return value
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 < number < 1e6:
        raise TrexError(f"the {name} {value!r} is not a number of {unit}", f"give {unit}, such as 1200, or max")
    return number


# Closing a terminal (SIGHUP) ends programs as Ctrl-C and kill do.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class SignalChain:
    """At SIGINT, SIGTERM and SIGHUP calls ``cleanup``, then the previous handler or default action.

    Signals that are ignored (``nohup``) or handled outside Python stay as they are. Only the main thread can handle
    signals; elsewhere ``install`` does nothing.
    """

    def __init__(self, cleanup: Callable[[], None]) -> None:
        self._cleanup = cleanup
        self._previous: dict[int, Any] = {}
        self._held = 0
        self._pending: list[int] = []

    def install(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is None:
                continue
            previous = signal.getsignal(number)
            if previous is not None and previous != signal.SIG_IGN:
                self._previous[number] = previous
                signal.signal(number, self._handle)

    def uninstall(self) -> None:
        """Restores the previous handlers, except where another one has replaced ours since."""
        for number, previous in self._previous.items():
            if signal.getsignal(number) == self._handle:
                signal.signal(number, previous)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Signals that arrive inside ``with`` are delivered at its end."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
            if not self._held:
                while self._pending:
                    self._deliver(self._pending.pop(0), None)

    def _handle(self, number: int, frame: Any) -> None:
        if self._held:
            self._pending.append(number)
        else:
            self._deliver(number, frame)

    def _deliver(self, number: int, frame: Any) -> None:
        self._held += 1
        try:
            self._cleanup()
        finally:
            self._held -= 1
        previous = self._previous.get(number)
        if callable(previous):
            previous(number, frame)
        elif previous == signal.SIG_DFL:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
