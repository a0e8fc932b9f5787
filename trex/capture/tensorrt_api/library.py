"""TensorRT's Python module: its release, logger and plugins."""

from __future__ import annotations

import ctypes
import re
import sys
from typing import Any, Sequence

from trex.capture.tensorrt_api.errors import FAILED, CollectorError
from trex.capture.tensorrt_api.log import Log, library_logger
from trex.capture.tensorrt_api.rtx import load_module

OLDEST_RELEASE = (8, 5)
RTX = "TensorRT for RTX"
API_OF_RTX = (11, 0, 0)
"""The Python API of TensorRT for RTX 1.4 to 1.7 is that of TensorRT 11."""

_NO_GPU_HINT = "nvidia-smi should list a GPU; in a container: --gpus all, and a driver that is new enough for its CUDA"


class Library:
    """trt: the module. name, version: of the library. release: (major, minor, patch) of TensorRT whose API it has.

    logger: passed to every TensorRT object.
    """

    def __init__(self, trt: Any, log: Log, name: str = "TensorRT") -> None:
        self.trt = trt
        self.log = log
        self.name = name
        numbers = release_of(trt)
        self.version = ".".join(str(number) for number in numbers)
        self.release = API_OF_RTX if self.is_rtx else numbers
        self.logger = library_logger(trt, log)

    @property
    def is_rtx(self) -> bool:
        return self.name == RTX

    @property
    def reason(self) -> str:
        """TensorRT's last error, for messages."""
        return self.log.reason or "TensorRT gives no reason"

    def create(self, kind: str, *arguments: Any) -> Any:
        """A TensorRT object. Raises CollectorError if there is none, as without a GPU."""
        try:
            return getattr(self.trt, kind)(*(arguments or (self.logger,)))
        except (TypeError, RuntimeError) as error:
            if kind not in ("Builder", "Runtime"):
                message = self.log.reason or str(error)
                raise CollectorError(f"{self.name} {self.version} created no {kind}: {message}", "", FAILED) from None
            reason = f": {self.log.reason}" if self.log.reason else ""
            message = f"{self.name} {self.version} found no GPU it can use{reason}"
            raise CollectorError(message, _NO_GPU_HINT, FAILED) from None

    def load_plugins(self, libraries: Sequence[str]) -> None:
        """TensorRT's own plugins, and those in the given libraries."""
        self.trt.init_libnvinfer_plugins(self.logger, "")
        for path in libraries:
            try:
                loaded = ctypes.CDLL(path, mode=getattr(ctypes, "RTLD_GLOBAL", 0))
            except OSError as error:
                raise CollectorError(f"the plugin library cannot be loaded: {error}") from None
            # Loading does not register TensorRT-LLM's plugins.
            register = getattr(loaded, "initTrtLlmPlugins", None)
            if register is not None:
                register.argtypes, register.restype = [ctypes.c_void_p, ctypes.c_char_p], ctypes.c_bool
                register(None, b"tensorrt_llm")


def import_library(log: Log, name: str) -> Library:
    """name: ``tensorrt`` or ``tensorrt-rtx``. Raises CollectorError if it is missing, cannot be loaded or too old."""
    if name == "tensorrt-rtx":
        return Library(load_module(), log, RTX)
    try:
        import tensorrt
    except ImportError as error:
        message = f"TensorRT's Python module cannot be loaded: {error}"
        if getattr(error, "name", None) == "tensorrt":
            message = f"there is no TensorRT in this Python ({sys.executable})"
        hint = "pip install tensorrt; on a Jetson it comes with JetPack, for the system's own Python"
        raise CollectorError(message, hint) from None
    library = Library(tensorrt, log)
    if library.release[:2] < OLDEST_RELEASE:
        message = f"TensorRT {library.version} is too old for the collector"
        raise CollectorError(message, "use TensorRT 8.5 or later, or trtexec")
    return library


def release_of(trt: Any) -> tuple[int, int, int]:
    """``10.16.1.11`` → (10, 16, 1)."""
    numbers = [int(number) for number in re.findall(r"\d{1,6}", str(getattr(trt, "__version__", "")))[:3]]
    if not numbers:
        raise CollectorError("this module tensorrt has no version", "is another file called tensorrt.py?")
    numbers += [0] * (3 - len(numbers))
    return numbers[0], numbers[1], numbers[2]
