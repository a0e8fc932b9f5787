"""Device properties: CUDA's attributes of each GPU under the keys of TREx's metadata files.

Keys are the names of CUDA's device attributes (``MULTIPROCESSOR_COUNT``, ``CLOCK_RATE`` in kHz,
``GLOBAL_MEMORY_BUS_WIDTH`` in bits), and ``Name``, ``ComputeCapability`` [major, minor], ``TotalMemory`` in bytes,
``CUDA_VERSION`` [major, minor, patch] and ``Source``, the package that reported them. NVML reports fewer, in the same
keys and units. Tested with mocks of the three packages; cuda-python was tried on an H100 and an H200.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from trex.capture.nvml import text_of, visible_handles
from trex.core.errors import TrexError
from trex.core.whole_file import write_whole

_PREFIX = "CU_DEVICE_ATTRIBUTE_"

Properties = dict[str, Any]


def device_info(json_fname: str | os.PathLike[str]) -> Path:
    """Writes the properties of every visible GPU, a JSON list of objects; returns the path.

    Raises TrexError as ``device_properties`` does, and if the file cannot be written.
    """
    text = json.dumps(device_properties(), indent=1, ensure_ascii=False)
    return write_whole(json_fname, f"{text}\n".encode())


def device_properties(gpu_id: int | None = None) -> list[Properties]:
    """The properties of every GPU, or of CUDA's GPU ``gpu_id``, from the first of cuda-python, pycuda and nvidia-ml-py
    that works.

    NVML numbers GPUs by their position on the bus, so with different GPUs its number may mean another one; it follows
    CUDA_VISIBLE_DEVICES here. Raises
    TrexError if no package works, with the reason of each, and if there is no such GPU.
    """
    reasons = []
    for name, read in SOURCES.items():
        try:
            devices = read()
        except ImportError:
            reasons.append(f"{name} is not installed")
        except Exception as error:  # bindings raise anything without a driver
            reasons.append(f"{name}: {str(error) or type(error).__name__}"[:200])
        else:
            return _select(devices, gpu_id)
    hint = "pip install 'tensorrt-engine-explorer[gpu]'; nvidia-smi should list the GPU"
    raise TrexError(f"the properties of GPUs cannot be read ({'; '.join(reasons)})", hint)


def _select(devices: list[Properties], gpu_id: int | None) -> list[Properties]:
    if gpu_id is None and devices:
        return devices
    if gpu_id is not None and 0 <= gpu_id < len(devices):
        return [devices[gpu_id]]
    missing = "no GPU" if gpu_id is None else f"no GPU {gpu_id} among {len(devices)}"
    raise TrexError(f"there is {missing}", "nvidia-smi -L lists the GPUs; CUDA_VISIBLE_DEVICES may hide them")


def _from_cuda_python() -> list[Properties]:
    try:
        driver = import_module("cuda.bindings.driver")
    except ImportError:
        driver = import_module("cuda.cuda")  # before 12.6

    def call(function: Callable[..., Any], *arguments: Any) -> Any:
        code, *values = function(*arguments)
        if int(code) != 0:
            raise RuntimeError(getattr(code, "name", str(code)))
        return values[0] if values else None

    call(driver.cuInit, 0)
    release = call(driver.cuDriverGetVersion)
    devices = []
    for index in range(call(driver.cuDeviceGetCount)):
        device = call(driver.cuDeviceGet, index)
        attributes = {}
        for attribute in driver.CUdevice_attribute:
            name = attribute.name.removeprefix(_PREFIX)
            with suppress(RuntimeError):  # an older driver does not know the newer ones
                if name != "MAX":
                    attributes[name] = int(call(driver.cuDeviceGetAttribute, attribute, device))
        devices.append(
            _properties(
                text_of(call(driver.cuDeviceGetName, 256, device)),
                (attributes.get("COMPUTE_CAPABILITY_MAJOR"), attributes.get("COMPUTE_CAPABILITY_MINOR")),
                int(call(driver.cuDeviceTotalMem, device)),
                _version(release),
                _source("cuda-python", "cuda-bindings", "cuda-python"),
                attributes,
            )
        )
    return devices


def _from_pycuda() -> list[Properties]:
    driver = import_module("pycuda.driver")
    driver.init()
    return [
        _properties(
            device.name(),
            device.compute_capability(),
            device.total_memory(),
            list(driver.get_version()),
            _source("pycuda", "pycuda"),
            {str(name): int(value) for name, value in device.get_attributes().items()},
        )
        for device in map(driver.Device, range(driver.Device.count()))
    ]


def _from_nvml() -> list[Properties]:
    nvml = import_module("pynvml")
    nvml.nvmlInit()
    try:
        release = _or_none(nvml, nvml.nvmlSystemGetCudaDriverVersion_v2)
        source = _source("nvidia-ml-py", "nvidia-ml-py")
        return [_of_handle(nvml, handle, release, source) for handle in visible_handles(nvml)]
    finally:
        nvml.nvmlShutdown()


def _of_handle(nvml: Any, handle: Any, release: int | None, source: str) -> Properties:
    capability = _or_none(nvml, nvml.nvmlDeviceGetCudaComputeCapability, handle)
    memory = _or_none(nvml, nvml.nvmlDeviceGetMemoryInfo, handle)
    clock = _or_none(nvml, nvml.nvmlDeviceGetMaxClockInfo, handle, nvml.NVML_CLOCK_GRAPHICS)
    memory_clock = _or_none(nvml, nvml.nvmlDeviceGetMaxClockInfo, handle, nvml.NVML_CLOCK_MEM)
    name = _or_none(nvml, nvml.nvmlDeviceGetName, handle)
    major, minor = capability or (None, None)
    facts = {
        "CLOCK_RATE": None if clock is None else clock * 1000,
        "COMPUTE_CAPABILITY_MAJOR": major,
        "COMPUTE_CAPABILITY_MINOR": minor,
        "GLOBAL_MEMORY_BUS_WIDTH": _or_none(nvml, nvml.nvmlDeviceGetMemoryBusWidth, handle),
        "MEMORY_CLOCK_RATE": None if memory_clock is None else memory_clock * 1000,
    }
    known = {key: value for key, value in facts.items() if value is not None}
    total = None if memory is None else int(memory.total)
    return _properties(
        None if name is None else text_of(name),
        (major, minor),
        total,
        None if release is None else _version(release),
        source,
        known,
    )


def _or_none(nvml: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except nvml.NVMLError:
        return None


def _properties(
    name: str | None,
    capability: tuple[int | None, int | None],
    total_memory: int | None,
    cuda_version: list[int] | None,
    source: str,
    attributes: dict[str, int],
) -> Properties:
    """One device; unknown facts are left out."""
    facts: Properties = {
        "Name": None if name is None else name.partition("\x00")[0].strip(),
        "ComputeCapability": None if None in capability else list(capability),
        "TotalMemory": total_memory,
        "CUDA_VERSION": cuda_version or None,
        "Source": source,
    }
    return {key: value for key, value in facts.items() if value is not None} | dict(sorted(attributes.items()))


def _version(number: int) -> list[int]:
    """12040 → [12, 4, 0]."""
    return [number // 1000, number % 1000 // 10, number % 10]


def _source(shown: str, *packages: str) -> str:
    for package in packages:
        with suppress(PackageNotFoundError):
            return f"{shown} {version(package)}"
    return shown


SOURCES: dict[str, Callable[[], list[Properties]]] = {
    "cuda-python": _from_cuda_python,
    "pycuda": _from_pycuda,
    "nvidia-ml-py": _from_nvml,
}
"""Package → function that reads the properties of every GPU, in the order they are tried."""
