"""Environment: whether this machine can capture engines, and the command that fixes what is missing."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from trex.capture.nvml import JETSON_HINT, is_jetson
from trex.capture.probe import ProbeResult, ask_python, is_installed, run_program
from trex.capture.tensorrt_api.errors import CollectorError
from trex.capture.tensorrt_api.library import RTX
from trex.capture.tensorrt_api.rtx import RTX_LIBRARIES, RTX_MODULE, find_wheels
from trex.capture.trtexec.find import ask_trtexec, find_trtexec
from trex.core.errors import TrexError
from trex.core.printable import shell_word

WORKS, WARNING, MISSING, BROKEN = "works", "warning", "missing", "broken"

EXTRAS = {
    "notebook": ("charts and widgets in notebooks", "plotly ipywidgets IPython xlsxwriter openpyxl typst onnx"),
    "dtale": ("tables by dtale in notebooks", "dtale"),
    "report": ("charts, report pages and workbooks", "plotly xlsxwriter openpyxl"),
    "onnx": ("ONNX models: origins of layers, graphs for Netron", "onnx"),
    "excel": ("Excel reports", "xlsxwriter openpyxl"),
    "parquet": ("tables as Parquet files", "pyarrow"),
    "picture": ("graphs as PNG and PDF", "typst"),
    "store": ("runs kept as Parquet files and searched with SQL", "duckdb fsspec pyarrow"),
    "sweep": ("many builds at once", "bokeh dask distributed duckdb fsspec pyarrow"),
    "mcp": ("read-only tools for agents", "mcp"),
    "gpu": ("clocks, telemetry, device properties, runs without trtexec", "pynvml cuda.bindings"),
}
"""Extra of our distribution → (its purpose, modules it installs). ``graphviz`` and ``tensorrt`` have own checks."""


_ASK_NVML = """
import pynvml as n
def text(value): return value.decode() if isinstance(value, bytes) else value
n.nvmlInit()
handles = [n.nvmlDeviceGetHandleByIndex(i) for i in range(n.nvmlDeviceGetCount())]
answer = {"driver": text(n.nvmlSystemGetDriverVersion()), "cuda": n.nvmlSystemGetCudaDriverVersion_v2(),
          "gpus": [text(n.nvmlDeviceGetName(h)) for h in handles]}
"""
_ASK_CUDA = """
try: from cuda.bindings import driver
except ImportError: from cuda import cuda as driver
(code,) = driver.cuInit(0)
answer = {"result": "" if int(code) == 0 else getattr(code, "name", str(code)), "devices": driver.cuDeviceGetCount()[1]}
"""
_ASK_PYCUDA = """
import pycuda.driver as driver
driver.init()
answer = {"result": "", "devices": driver.Device.count()}
"""
_ASK_TENSORRT = """
import tensorrt
answer = {"version": tensorrt.__version__, "file": tensorrt.__file__, "whole": hasattr(tensorrt, "Builder")}
"""


@dataclass(frozen=True, slots=True)
class Check:
    """status: ``works``, ``warning``, ``missing`` or ``broken`` (installed, but unusable).

    detail: what is installed. fix: the command or advice that helps, or empty. purpose: what it is needed for.
    """

    subject: str
    status: str
    detail: str
    fix: str = ""
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class Environment:
    """All checks, in the order of need."""

    checks: tuple[Check, ...]

    def status(self, subject: str) -> str:
        return next((check.status for check in self.checks if check.subject == subject), MISSING)

    @property
    def obstacles(self) -> tuple[str, ...]:
        """What prevents building and profiling an engine; empty if nothing does."""
        obstacles = ["driver"] if self.status("driver") in (MISSING, BROKEN) else []
        backends = [self.status("trtexec"), self.status("TensorRT for Python")]
        if not {WORKS, WARNING} & set(backends):
            obstacles.append("trtexec or TensorRT for Python")
        return tuple(obstacles)

    @property
    def is_healthy(self) -> bool:
        """True if engines can be captured here and nothing that is installed is broken."""
        return not self.obstacles and all(check.status != BROKEN for check in self.checks)


def examine(trtexec: str = "") -> Environment:
    """Examines this machine and changes nothing. trtexec: its path, if not in the usual folders.

    Libraries that may crash or hang are loaded in processes of their own, in parallel, 30 s at most.
    """
    questions: tuple[Callable[[], list[Check]], ...] = (
        _python,
        _driver,
        _cuda,
        _tensorrt,
        lambda: _trtexec(trtexec),
        _rtx,
        _graphviz,
        _extras,
    )
    with ThreadPoolExecutor(len(questions)) as pool:
        return Environment(
            tuple(check for answer in pool.map(lambda question: question(), questions) for check in answer)
        )


def _python() -> list[Check]:
    detail = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    return [Check("Python", WORKS, f"{detail}{', a Jetson' if is_jetson() else ''}")]


def _driver() -> list[Check]:
    purpose = "everything that runs on a GPU"
    answer = ask_python(_ASK_NVML) if is_installed("pynvml") else ProbeResult(problem="nvidia-ml-py is not installed")
    if answer.value:
        cuda = answer.value["cuda"]
        gpus = answer.value["gpus"]
        release = f"{answer.value['driver']}, up to CUDA {cuda // 1000}.{cuda % 1000 // 10}"
        if not gpus:
            return [Check("driver", BROKEN, f"{release}; no GPU", "nvidia-smi -L should list one", purpose)]
        return [Check("driver", WORKS, f"{release}; GPU: {', '.join(gpus)}", purpose=purpose)]
    smi = shutil.which("nvidia-smi")
    if smi:
        output = run_program([smi, "--query-gpu=driver_version,name", "--format=csv,noheader"])
        lines = [line.partition(", ") for line in output.lines if ", " in line]
        if lines and not output.problem:
            gpus = ", ".join(gpu for _, _, gpu in lines)
            return [Check("driver", WORKS, f"{lines[0][0]}; GPU: {gpus} (from nvidia-smi)", purpose=purpose)]
        problem = output.problem or "it lists no GPU"
        return [
            Check("driver", BROKEN, f"nvidia-smi: {problem}", "nvidia-smi -L; reload or install the driver", purpose)
        ]
    if is_jetson():
        return [Check("driver", WARNING, "the Jetson's own, without NVML", JETSON_HINT, purpose)]
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        fix = "start the container with the GPU: docker run --gpus all … (needs nvidia-container-toolkit on the host)"
    else:
        fix = "install NVIDIA's driver (Ubuntu: sudo ubuntu-drivers install), then check: nvidia-smi"
    return [Check("driver", MISSING, f"no NVIDIA driver answers ({answer.problem})", fix, purpose)]


def _cuda() -> list[Check]:
    purpose = "runs without trtexec, device properties"
    for name, module, question in (
        ("cuda-python", "cuda.bindings.driver", _ASK_CUDA),
        ("cuda-python", "cuda.cuda", _ASK_CUDA),
        ("pycuda", "pycuda.driver", _ASK_PYCUDA),
    ):
        if is_installed(module):
            answer = ask_python(question)
            if answer.value and not answer.value["result"]:
                return [Check("CUDA for Python", WORKS, f"{name}; {answer.value['devices']} GPU(s)", purpose=purpose)]
            problem = answer.value["result"] if answer.value else answer.problem
            return [Check("CUDA for Python", BROKEN, f"{name}: {problem}", "check the driver first", purpose)]
    return [Check("CUDA for Python", MISSING, "neither cuda-python nor pycuda", _install("gpu"), purpose)]


def _tensorrt() -> list[Check]:
    subject, purpose = "TensorRT for Python", "runs without trtexec (--backend tensorrt)"
    if not is_installed("tensorrt"):
        others = [name for name in ("tensorrt_lean", "tensorrt_dispatch") if is_installed(name)]
        detail = f"only {', '.join(others)}, which cannot build or inspect" if others else "not installed"
        return [Check(subject, MISSING, detail, _install("tensorrt"), purpose)]
    answer = ask_python(_ASK_TENSORRT)
    if answer.value is None:
        fix = "add TensorRT's lib folder to LD_LIBRARY_PATH" if ".so" in answer.problem else _install("tensorrt")
        return [Check(subject, BROKEN, f"import tensorrt: {answer.problem}", fix, purpose)]
    version, file = str(answer.value["version"]), str(answer.value["file"])
    if not answer.value["whole"]:
        return [
            Check(subject, BROKEN, f"{file} has no Builder", "python -m pip uninstall tensorrt, then again", purpose)
        ]
    return [Check(subject, WORKS, f"{version} ({file})", purpose=purpose)]


def _trtexec(wanted: str) -> list[Check]:
    purpose = "building and profiling (--backend trtexec)"
    try:
        path = find_trtexec(wanted)
    except TrexError as error:
        return [Check("trtexec", MISSING, error.message, error.hint, purpose)]
    try:
        trtexec = ask_trtexec(path)
    except TrexError as error:
        return [Check("trtexec", BROKEN, f"{path}: {error.message}", error.hint, purpose)]
    return [Check("trtexec", WORKS, f"{trtexec.release} ({path})", purpose=purpose)]


def _rtx() -> list[Check]:
    subject, purpose = RTX, "real engines without a GPU (--backend tensorrt-rtx)"
    try:
        version = find_wheels().version
    except CollectorError as error:
        status = BROKEN if is_installed(RTX_LIBRARIES) and is_installed(RTX_MODULE) else MISSING
        return [Check(subject, status, error.message, _install("rtx"), purpose)]
    return [Check(subject, WORKS, version, purpose=purpose)]


def _graphviz() -> list[Check]:
    purpose = "trex draw --engine dot; everything else draws without it"
    if dot := shutil.which("dot"):
        return [Check("Graphviz", WORKS, dot, purpose=purpose)]
    if is_installed("pygraphviz"):
        answer = ask_python("import pygraphviz; answer = pygraphviz.__version__")
        if answer.value is None:  # its wheels leave glib and X11 to the system
            fix = "install Graphviz with the system's packages: apt-get install graphviz"
            return [Check("Graphviz", BROKEN, f"import pygraphviz: {answer.problem}", fix, purpose)]
        return [Check("Graphviz", WORKS, f"from the package pygraphviz {answer.value}", purpose=purpose)]
    return [Check("Graphviz", MISSING, "neither dot nor pygraphviz", _install("graphviz"), purpose)]


def _extras() -> list[Check]:
    checks = []
    for extra, (purpose, modules) in EXTRAS.items():
        absent = [module for module in modules.split() if not is_installed(module)]
        detail = f"without {', '.join(absent)}" if absent else ", ".join(modules.split())
        status = MISSING if absent else WORKS
        checks.append(Check(f"extra {extra}", status, detail, _install(extra) if absent else "", purpose))
    return checks


def _install(extra: str) -> str:
    python = "python" if os.name == "nt" else Path(sys.executable).name or "python3"
    return f"{shell_word(python)} -m pip install 'tensorrt-engine-explorer[{extra}]'"
