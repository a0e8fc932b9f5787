"""Device properties: CUDA's attributes of each GPU under the keys of TREx's metadata files.

Keys are the names of CUDA's device attributes (``MULTIPROCESSOR_COUNT``, ``CLOCK_RATE`` in kHz,
``GLOBAL_MEMORY_BUS_WIDTH`` in bits), and ``Name``, ``ComputeCapability`` [major, minor], ``TotalMemory`` in bytes,
``CUDA_VERSION`` [major, minor, patch] and ``Source``, the package that reported them. Tested with a mock, not on a GPU.
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

from trex.capture.nvml import text_of
from trex.core.errors import TrexError, missing_extra
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
    """The properties of every GPU, or of CUDA's GPU ``gpu_id``, as cuda-python reports them.

    Raises TrexError without the package, a driver or such a GPU.
    """
    try:
        devices = _read()
    except ImportError:
        raise missing_extra("cuda-python", "gpu", "reading the properties of GPUs") from None
    except Exception as error:  # bindings raise anything without a driver
        reason = f"{str(error) or type(error).__name__}"[:200]
        hint = "nvidia-smi should list the GPU; install or reload NVIDIA's driver"
        raise TrexError(f"the properties of GPUs cannot be read (cuda-python: {reason})", hint) from error
    if gpu_id is None and devices:
        return devices
    if gpu_id is not None and 0 <= gpu_id < len(devices):
        return [devices[gpu_id]]
    missing = "no GPU" if gpu_id is None else f"no GPU {gpu_id} among {len(devices)}"
    raise TrexError(f"there is {missing}", "nvidia-smi -L lists the GPUs; CUDA_VISIBLE_DEVICES may hide them")


def _read() -> list[Properties]:
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
        capability = [attributes.get(f"COMPUTE_CAPABILITY_{part}") for part in ("MAJOR", "MINOR")]
        facts: Properties = {
            "Name": text_of(call(driver.cuDeviceGetName, 256, device)).partition("\x00")[0].strip(),
            **({} if None in capability else {"ComputeCapability": capability}),
            "TotalMemory": int(call(driver.cuDeviceTotalMem, device)),
            "CUDA_VERSION": [release // 1000, release % 1000 // 10, release % 10],
            "Source": _source(),
        }
        devices.append(facts | dict(sorted(attributes.items())))
    return devices


def _source() -> str:
    for package in ("cuda-bindings", "cuda-python"):
        with suppress(PackageNotFoundError):
            return f"cuda-python {version(package)}"
    return "cuda-python"
