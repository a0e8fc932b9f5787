"""TensorRT's Python module, found and ready: its release, its logger, its plugins."""

from __future__ import annotations

import ctypes
import re
import sys
from typing import Any, Sequence

from trex.capture.tensorrt_api.fault import FAILED, Fault
from trex.capture.tensorrt_api.log import Log, library_logger

OLDEST_RELEASE = (8, 5)
_NO_GPU_HINT = "nvidia-smi should list a GPU; in a container: --gpus all, and a driver that is new enough for its CUDA"


class Library:
    """trt: the module. release: (major, minor, patch). logger: what every object of TensorRT's is made with.

    build_sections: what a build was asked for, as logs and metadata tell it; empty until there is one.
    """

    def __init__(self, trt: Any, log: Log) -> None:
        self.trt = trt
        self.log = log
        self.release = release_of(trt)
        self.logger = library_logger(trt, log)
        self.build_sections: dict[str, dict[str, str]] = {}

    @property
    def version(self) -> str:
        return ".".join(str(number) for number in self.release)

    def made(self, kind: str, *more: Any) -> Any:
        """An object of TensorRT's. Raises Fault where it makes none, which is so without a GPU."""
        try:
            made = getattr(self.trt, kind)(*(more or (self.logger,)))
        except (TypeError, RuntimeError) as error:
            said = self.log.reason or str(error)
            if kind not in ("Builder", "Runtime"):
                raise Fault(f"TensorRT {self.version} made no {kind}: {said}", "", FAILED) from None
            why = f": {self.log.reason}" if self.log.reason else ""
            raise Fault(f"TensorRT {self.version} found no GPU it can use{why}", _NO_GPU_HINT, FAILED) from None
        return made

    def load_plugins(self, libraries: Sequence[str]) -> None:
        """TensorRT's own plugins, and those in the given libraries."""
        self.trt.init_libnvinfer_plugins(self.logger, "")
        for path in libraries:
            try:
                loaded = ctypes.CDLL(path, mode=getattr(ctypes, "RTLD_GLOBAL", 0))
            except OSError as error:
                raise Fault(f"the library of plugins cannot be loaded: {error}") from None
            # TensorRT-LLM's are not registered by being loaded.
            register = getattr(loaded, "initTrtLlmPlugins", None)
            if register is not None:
                register.argtypes, register.restype = [ctypes.c_void_p, ctypes.c_char_p], ctypes.c_bool
                register(None, b"tensorrt_llm")


def import_tensorrt(log: Log) -> Library:
    """Raises Fault when TensorRT is not there, cannot be loaded or is too old."""
    try:
        import tensorrt
    except ImportError as error:
        is_there = getattr(error, "name", None) != "tensorrt"
        raise Fault(
            f"TensorRT's Python module cannot be loaded: {error}"
            if is_there
            else f"there is no TensorRT in this Python ({sys.executable})",
            "pip install tensorrt; on a Jetson it comes with JetPack, for the system's own Python",
        ) from None
    library = Library(tensorrt, log)
    if library.release[:2] < OLDEST_RELEASE:
        raise Fault(
            f"TensorRT {library.version} is too old for the collector", "8.5 and later will do; before: trtexec"
        )
    return library


def release_of(trt: Any) -> tuple[int, int, int]:
    """``10.16.1.11`` → (10, 16, 1)."""
    numbers = [int(number) for number in re.findall(r"\d{1,6}", str(getattr(trt, "__version__", "")))[:3]]
    if not numbers:
        raise Fault("this module tensorrt does not say which TensorRT it is of", "is another file called tensorrt.py?")
    numbers += [0] * (3 - len(numbers))
    return numbers[0], numbers[1], numbers[2]
