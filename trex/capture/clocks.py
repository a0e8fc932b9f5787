"""GPUConfigurator: a GPU's clocks and power limit, locked for a measurement and put back afterwards."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType

from trex.capture.nvml import JETSON_HINT, Gpu, get_max_clocks, is_jetson, nvmlContext, open_gpu
from trex.capture.signals import SignalChain
from trex.core.errors import TrexError
from trex.core.note import Note

__all__ = ["GPUConfigurator", "get_max_clocks", "nvmlContext"]

Wanted = int | float | str | None


@dataclass(frozen=True, slots=True)
class _Change:
    """One setting: its words, the command a user may run in our place and the one that takes it back."""

    key: str
    value: float
    words: str
    command: str
    back: str
    apply: Callable[[], object]
    undo: Callable[[], object]


class GPUConfigurator:
    """Locks the clocks and sets the power limit of a GPU inside ``with``, and puts back what it changed, only that.

    compute_clk, memory_clk: MHz, or "max"; None is "max" too. power_limit: watts, or "max"; None leaves it alone.
    dont_lock_clocks: leave the clocks alone. gpu_id: CUDA's number of the GPU.

    It never fails for want of permission or support: ``notes`` then holds one warning with the command to run.
    ``applied`` tells what was set: {"compute_clock_mhz": …, "memory_clock_mhz": …, "power_limit_w": …}. Put back at the
    end of ``with``, after an exception, and on SIGINT, SIGTERM and SIGHUP, before the handlers that were there run;
    nothing can be put back after SIGKILL. NVML does not tell clocks that were locked before, so those are unlocked.
    Raises TrexError for values that are no numbers.

    Tried against a mock that offers nvidia-ml-py's functions and errors, not on a GPU.
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
        self._done: list[_Change] = []
        self._opened = ExitStack()
        self._signals = SignalChain(self.restore)
        self._turn = threading.RLock()

    @property
    def notes(self) -> tuple[Note, ...]:
        """What did not work; at most one Note says what was not locked."""
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
        """Puts back what was changed, last change first; a second call finds nothing to do."""
        with self._turn:
            while self._done:
                change = self._done.pop()
                try:
                    change.undo()
                except Exception as error:  # whatever the driver says, the other settings are still to be put back
                    self._notes.append(
                        Note(
                            "clocks-not-restored",
                            f"the {change.words} of GPU {self.gpu_id} could not be put back: {error}",
                            change.back,
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
            self._notes.append(self._not_done(error.message, error.hint))
            return
        self._notes.extend(gpu.notes)
        forbidden: list[_Change] = []
        failed: list[str] = []
        for name, prepare in (
            ("power limit", self._power),
            ("memory clock", self._memory),
            ("compute clock", self._compute),
        ):
            change = None
            try:
                change = prepare(gpu)
                if change is not None:
                    change.apply()
                    self._done.append(change)
            except gpu.nvml.NVMLError as error:
                if change is not None and getattr(error, "value", None) == gpu.nvml.NVML_ERROR_NO_PERMISSION:
                    forbidden.append(change)
                else:
                    failed.append(f"{change.words if change else name} ({error})")
            except AttributeError:
                failed.append(f"{name} (this nvidia-ml-py is too old)")
        self.applied = {change.key: change.value for change in self._done}
        if forbidden or failed:
            self._notes.append(self._not_set(forbidden, failed))

    @property
    def _purpose(self) -> str:
        return "setting the GPU's power limit" if self.dont_lock_clocks else "locking the GPU's clocks"

    def _not_done(self, why: str, hint: str) -> Note:
        if self.dont_lock_clocks:
            return Note("power-limit-not-set", f"{why}; the run has the limit that was there", hint)
        return Note("clocks-not-locked", f"{why}; times may vary between runs", hint)

    def _not_set(self, forbidden: list[_Change], failed: list[str]) -> Note:
        parts = [f"no permission to set {', '.join(change.words for change in forbidden)}"] if forbidden else []
        parts += [f"not set: {', '.join(failed)}"] if failed else []
        hints = [JETSON_HINT] if is_jetson() else []
        if forbidden and not hints:
            sudo = " && ".join(change.command for change in forbidden)
            back = " && ".join(change.back for change in reversed(forbidden))
            hints.append(f"{sudo} (afterwards: {back})")
        elif not hints:
            leave = "without --power-limit the limit is left alone"
            leave = leave if self.dont_lock_clocks else "--dont-lock-clocks leaves clocks alone"
            hints.append(f"this GPU or driver does not take it; {leave}")
        return self._not_done(f"GPU {self.gpu_id}: {'; '.join(parts)}", "; ".join(hints))

    def _power(self, gpu: Gpu) -> _Change | None:
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
        return _Change(
            "power_limit_w",
            wanted / 1000,
            f"power limit {wanted / 1000:g} W",
            _smi(gpu, f"-pl {wanted / 1000:g}"),
            _smi(gpu, f"-pl {before / 1000:g}"),
            lambda: nvml.nvmlDeviceSetPowerManagementLimit(handle, wanted),
            lambda: nvml.nvmlDeviceSetPowerManagementLimit(handle, before),
        )

    def _memory(self, gpu: Gpu) -> _Change | None:
        return self._locked(gpu, self.memory_clk, "memory", gpu.nvml.NVML_CLOCK_MEM, "Memory", "m")

    def _compute(self, gpu: Gpu) -> _Change | None:
        return self._locked(gpu, self.compute_clk, "compute", gpu.nvml.NVML_CLOCK_GRAPHICS, "Gpu", "g")

    def _locked(self, gpu: Gpu, wanted: Wanted, name: str, domain: int, in_nvml: str, in_smi: str) -> _Change | None:
        """in_nvml, in_smi: what the clock is called in NVML's functions and in nvidia-smi's options."""
        if self.dont_lock_clocks:
            return None
        nvml, handle = gpu.nvml, gpu.handle
        clock = _clock(gpu, wanted, domain)
        return _Change(
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


def _smi(gpu: Gpu, words: str) -> str:
    return f"{'' if os.name == 'nt' else 'sudo '}nvidia-smi -i {gpu.index} {words}"


def _number(value: Wanted, name: str, unit: str) -> Wanted:
    """A positive number, "max" or None."""
    if value is None or value == "max":
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 < number < 1e6:
        raise TrexError(f"the {name} {value!r} is no number of {unit}", f"give {unit}, as 1200, or max")
    return number
