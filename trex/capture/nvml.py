"""One GPU through NVML, the driver's management library."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError, missing_extra
from trex.core.note import Note

JETSON_HINT = (
    "on a Jetson: sudo nvpmodel -m 0 && sudo jetson_clocks (sudo jetson_clocks --store first, --restore after)"
)

_JETSON_RELEASE = Path("/etc/nv_tegra_release")
_JETSON_MODEL = Path("/proc/device-tree/model")


@dataclass(frozen=True, slots=True)
class Gpu:
    """An open GPU. nvml: the module ``pynvml``. index: NVML's number of it, as for ``nvidia-smi -i``.

    notes: doubts about which GPU it is.
    """

    nvml: Any
    handle: Any
    index: int
    notes: tuple[Note, ...] = ()


def is_jetson() -> bool:
    """True on NVIDIA's system-on-chip boards, whose clocks NVML does not set."""
    with suppress(OSError):
        return _JETSON_RELEASE.exists() or "jetson" in _JETSON_MODEL.read_text("utf-8", "replace").lower()
    return False


def import_nvml(purpose: str = "reading the GPU's state") -> Any:
    """The module ``pynvml`` of the package nvidia-ml-py. Raises TrexError with the extra to install."""
    try:
        import pynvml
    except ImportError:
        error = missing_extra("nvidia-ml-py", "gpu", purpose)
        hint = f"{error.hint}; {JETSON_HINT}" if is_jetson() else error.hint
        raise TrexError(error.message, hint) from None
    return pynvml


@contextmanager
def open_gpu(
    gpu_id: int = 0, environment: Mapping[str, str] | None = None, purpose: str = "reading the GPU's state"
) -> Iterator[Gpu]:
    """Opens NVML and finds the GPU that CUDA programs started from here call ``gpu_id``.

    NVML numbers GPUs by their position on the bus and ignores CUDA_VISIBLE_DEVICES; the numbers and UUIDs of that
    variable are followed. Raises TrexError without a driver, such a GPU or the package.
    """
    nvml = import_nvml(purpose)
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        hint = JETSON_HINT if is_jetson() else "nvidia-smi should list the GPU; install or reload NVIDIA's driver"
        raise TrexError(f"{purpose} is not possible: {error}", hint) from None
    try:
        yield _find(nvml, gpu_id, os.environ if environment is None else environment)
    finally:
        with suppress(nvml.NVMLError):
            nvml.nvmlShutdown()


@contextmanager
def nvmlContext(gpu_id: int = 0) -> Iterator[Any]:
    """NVML's handle of a GPU, inside ``with``. Raises TrexError as ``open_gpu`` does."""
    with open_gpu(gpu_id) as gpu:
        yield gpu.handle


def get_max_clocks(dev: Any) -> tuple[int, int]:
    """(memory, graphics): the highest clocks of a handle's GPU, in MHz. Raises TrexError if NVML reports none."""
    nvml = import_nvml()
    try:
        return (
            int(nvml.nvmlDeviceGetMaxClockInfo(dev, nvml.NVML_CLOCK_MEM)),
            int(nvml.nvmlDeviceGetMaxClockInfo(dev, nvml.NVML_CLOCK_GRAPHICS)),
        )
    except nvml.NVMLError as error:
        hint = JETSON_HINT if is_jetson() else "nvidia-smi -q -d CLOCK shows what the driver reports"
        raise TrexError(f"the driver does not report the highest clocks: {error}", hint) from None


def gpu_name(gpu_id: int) -> str:
    """``NVIDIA A100-SXM4-80GB``: what CUDA calls ``gpu_id``; "" where NVML does not answer."""
    with suppress(TrexError), open_gpu(gpu_id) as gpu, suppress(gpu.nvml.NVMLError):
        return text_of(gpu.nvml.nvmlDeviceGetName(gpu.handle))
    return ""


def visible_handles(nvml: Any) -> list[Any]:
    """NVML's handles of the GPUs and MIG slices that CUDA_VISIBLE_DEVICES does not hide, in its order; like CUDA, none
    from the first on that does not exist, and none at all where one is named twice (seen with CUDA 13.0).
    """
    count, visible = nvml.nvmlDeviceGetCount(), os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return [nvml.nvmlDeviceGetHandleByIndex(index) for index in range(count)]
    handles, indices = [], []
    for entry in map(str.strip, visible.split(",")):
        if entry.upper().startswith("MIG-"):
            try:
                handles.append(nvml.nvmlDeviceGetHandleByUUID(entry))
            except nvml.NVMLError:
                break
        elif (index := _named(nvml, entry, count)) is not None:
            handles.append(nvml.nvmlDeviceGetHandleByIndex(index))
            indices.append(index)
        else:
            break
    return handles if len(set(indices)) == len(indices) else []


def text_of(value: Any) -> str:
    """NVML's text, which older packages return as bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _find(nvml: Any, gpu_id: int, environment: Mapping[str, str]) -> Gpu:
    try:
        count = nvml.nvmlDeviceGetCount()
        index, is_by_uuid = _index(nvml, gpu_id, count, environment.get("CUDA_VISIBLE_DEVICES"))
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        is_unsure = count > 1 and not is_by_uuid and environment.get("CUDA_DEVICE_ORDER") != "PCI_BUS_ID"
        names = {text_of(nvml.nvmlDeviceGetName(nvml.nvmlDeviceGetHandleByIndex(i))) for i in range(count * is_unsure)}
    except nvml.NVMLError as error:
        raise TrexError(f"GPU {gpu_id} cannot be opened: {error}", "nvidia-smi -L lists the GPUs") from None
    if len(names) < 2:
        return Gpu(nvml, handle, index)
    note = Note(
        "gpu-order-unclear",
        f"the GPUs of this machine differ, and CUDA numbers the fastest 0: NVML's GPU {index} is assumed to be CUDA's",
        "export CUDA_DEVICE_ORDER=PCI_BUS_ID before the run, so that both use the same numbers",
    )
    return Gpu(nvml, handle, index, (note,))


def _index(nvml: Any, gpu_id: int, count: int, visible: str | None) -> tuple[int, bool]:
    """(NVML's number of CUDA's device, whether it was found by UUID)."""
    entries = None if visible is None else [entry.strip() for entry in visible.split(",")]
    shown = range(count) if entries is None else range(len(entries))
    if gpu_id not in shown or entries == [""]:
        devices = f"{count} GPU(s)" if entries is None else f"the GPUs in CUDA_VISIBLE_DEVICES={visible}"
        raise TrexError(f"there is no GPU {gpu_id} among {devices}", "nvidia-smi -L lists the GPUs")
    if entries is None:
        return gpu_id, False
    entry = entries[gpu_id]
    index = _named(nvml, entry, count)
    if index is None:
        message = f"CUDA_VISIBLE_DEVICES names {entry!r}, which NVML does not list"
        raise TrexError(message, "nvidia-smi -L lists the GPUs")
    return index, not entry.isdecimal()


def _named(nvml: Any, entry: str, count: int) -> int | None:
    """NVML's number of the GPU that an entry of CUDA_VISIBLE_DEVICES names; None without one."""
    if entry.isdecimal():
        return int(entry) if int(entry) < count else None
    if not entry.upper().startswith("GPU-"):
        return None
    uuids = (text_of(nvml.nvmlDeviceGetUUID(nvml.nvmlDeviceGetHandleByIndex(index))) for index in range(count))
    # CUDA also accepts the beginning of a UUID.
    return next((index for index, uuid in enumerate(uuids) if uuid.upper().startswith(entry.upper())), None)
