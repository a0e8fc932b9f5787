"""Environment: whether this machine can capture engines, and the command that fixes what is missing."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from trex.capture.nvml import JETSON_HINT, is_jetson
from trex.capture.probe import ProbeResult, ask_program, ask_python, is_installed
from trex.capture.trtexec.find import ask_trtexec, find_libraries, find_trtexec
from trex.core.errors import TrexError
from trex.core.release import release_from_text

WORKS, WARNING, MISSING, BROKEN = "works", "warning", "missing", "broken"

EXTRAS = {
    "notebook": ("charts and widgets in notebooks", "plotly ipywidgets IPython dtale xlsxwriter openpyxl typst onnx"),
    "report": ("charts, report pages and workbooks", "plotly xlsxwriter openpyxl"),
    "onnx": ("ONNX models: origins of layers, graphs for Netron", "onnx"),
    "excel": ("Excel reports", "xlsxwriter openpyxl"),
    "parquet": ("tables as Parquet files", "pyarrow"),
    "picture": ("graphs as PNG and PDF", "typst"),
    "gpu": ("clocks, telemetry, device properties, runs without trtexec", "pynvml cuda.bindings"),
}
"""Extra of our distribution → (its purpose, modules it installs). ``graphviz`` and ``tensorrt`` have own checks."""

_LEAST_FREE_BYTES = 2 << 30
_SYS_ADMIN = 1 << 21  # CAP_SYS_ADMIN: the driver requires it to set clocks

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
_ASK_TENSORRT = """
import tensorrt
answer = {"version": tensorrt.__version__, "file": tensorrt.__file__, "whole": hasattr(tensorrt, "Builder")}
"""
CLOCKS = "locking clocks"


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
        obstacles = [subject for subject in ("driver", "temporary folder") if self.status(subject) in (MISSING, BROKEN)]
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
        _libraries,
        lambda: _trtexec(trtexec),
        _clocks,
        _temporary,
        _graphviz,
        _extras,
    )
    with ThreadPoolExecutor(len(questions)) as pool:
        answers = list(pool.map(lambda question: question(), questions))
    checks = [_only_with_a_driver(check, answers) for answer in answers for check in answer]
    return Environment((*checks, *_disagreement(checks)))


def _only_with_a_driver(check: Check, answers: list[list[Check]]) -> Check:
    """Without a driver there are no clocks to lock."""
    statuses = [other.status for answer in answers for other in answer if other.subject == "driver"]
    if check.subject != CLOCKS or check.status != WORKS or all(status in (WORKS, WARNING) for status in statuses):
        return check
    return replace(check, status=WARNING, detail="unknown without a driver")


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
        output = ask_program([smi, "--query-gpu=driver_version,name", "--format=csv,noheader"])
        lines = [line.partition(", ") for line in str(output.value or "").splitlines() if ", " in line]
        if lines:
            gpus = ", ".join(gpu for _, _, gpu in lines)
            return [Check("driver", WORKS, f"{lines[0][0]}; GPU: {gpus} (from nvidia-smi)", purpose=purpose)]
        problem = output.problem or "it lists no GPU"
        return [
            Check("driver", BROKEN, f"nvidia-smi: {problem}", "nvidia-smi -L; reload or install the driver", purpose)
        ]
    if is_jetson():
        return [Check("driver", WARNING, "the Jetson's own, without NVML", "", purpose)]
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        fix = "start the container with the GPU: docker run --gpus all … (needs nvidia-container-toolkit on the host)"
    else:
        fix = "install NVIDIA's driver (Ubuntu: sudo ubuntu-drivers install), then check: nvidia-smi"
    return [Check("driver", MISSING, f"no NVIDIA driver answers ({answer.problem})", fix, purpose)]


def _cuda() -> list[Check]:
    purpose = "runs without trtexec, device properties"
    if not is_installed("cuda.bindings.driver") and not is_installed("cuda.cuda"):
        return [Check("CUDA for Python", MISSING, "cuda-python is not installed", _install("gpu"), purpose)]
    answer = ask_python(_ASK_CUDA)
    if answer.value and not answer.value["result"]:
        return [Check("CUDA for Python", WORKS, f"cuda-python; {answer.value['devices']} GPU(s)", purpose=purpose)]
    problem = answer.value["result"] if answer.value else answer.problem
    return [Check("CUDA for Python", BROKEN, f"cuda-python: {problem}", "check the driver first", purpose)]


def _tensorrt() -> list[Check]:
    subject, purpose = "TensorRT for Python", "runs without trtexec (--backend tensorrt)"
    if not is_installed("tensorrt"):
        others = [name for name in ("tensorrt_lean", "tensorrt_dispatch", "tensorrt_rtx") if is_installed(name)]
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


def _libraries() -> list[Check]:
    paths = find_libraries()
    purpose = "TensorRT itself, for trtexec and Python"
    if not paths:
        return [
            Check("TensorRT libraries", MISSING, "no libnvinfer in the loader's folders", _install("tensorrt"), purpose)
        ]
    return [Check("TensorRT libraries", WORKS, ", ".join(paths), purpose=purpose)]


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


def _clocks() -> list[Check]:
    subject, purpose = CLOCKS, "times that repeat from run to run"
    if is_jetson():
        return [Check(subject, WARNING, "a Jetson locks its clocks itself", JETSON_HINT, purpose)]
    if not is_installed("pynvml"):
        return [Check(subject, MISSING, "nvidia-ml-py is not installed", _install("gpu"), purpose)]
    if _may_set_clocks():
        return [Check(subject, WORKS, "this user may (not tried)", purpose=purpose)]
    fix = "sudo nvidia-smi -i 0 -lgc MHZ,MHZ before the run and -rgc after it, or run as root"
    fix += " (in a container: --cap-add SYS_ADMIN)"
    return [Check(subject, WARNING, "only an administrator may (not tried)", fix, purpose)]


def _may_set_clocks() -> bool:
    """Root with the capability that the driver requires; containers often drop it."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return True
    capabilities = next((line.split()[1] for line in status.splitlines() if line.startswith("CapEff:")), "0")
    return bool(int(capabilities, 16) & _SYS_ADMIN)


def _temporary() -> list[Check]:
    subject, purpose = "temporary folder", "scratch files of builds"
    try:
        folder = tempfile.gettempdir()
        with tempfile.TemporaryFile() as file:
            file.write(b"x")
            file.flush()
        free = shutil.disk_usage(folder).free
    except OSError as error:
        fix = "export TMPDIR=a writable folder"
        return [Check(subject, BROKEN, str(error.strerror or error), fix, purpose)]
    space = f"{folder}, {free / 2**30:,.1f} GiB free"
    if free < _LEAST_FREE_BYTES:
        return [Check(subject, WARNING, space, "export TMPDIR=a folder with more space", purpose)]
    return [Check(subject, WORKS, space, purpose=purpose)]


def _graphviz() -> list[Check]:
    purpose = "trex draw --engine dot; everything else draws without it"
    dot = shutil.which("dot")
    if dot:
        answer = ask_program([dot, "-V"], 10)
        if answer.value is not None:
            return [Check("Graphviz", WORKS, f"{str(answer.value).strip()[:80]} ({dot})", purpose=purpose)]
        return [Check("Graphviz", BROKEN, f"{dot} -V: {answer.problem}", _install("graphviz"), purpose)]
    if is_installed("pygraphviz"):
        return [Check("Graphviz", WORKS, "from the package pygraphviz", purpose=purpose)]
    return [Check("Graphviz", MISSING, "neither dot nor pygraphviz", _install("graphviz"), purpose)]


def _extras() -> list[Check]:
    checks = []
    for extra, (purpose, modules) in EXTRAS.items():
        absent = [module for module in modules.split() if not is_installed(module)]
        detail = f"without {', '.join(absent)}" if absent else ", ".join(modules.split())
        status = MISSING if absent else WORKS
        checks.append(Check(f"extra {extra}", status, detail, _install(extra) if absent else "", purpose))
    return checks


def _disagreement(checks: list[Check]) -> Iterator[Check]:
    """trtexec and the Python package must be of one release to load each other's engines."""
    details = {check.subject: check.detail for check in checks if check.status == WORKS}
    python, trtexec = (release_from_text(details.get(subject, "")) for subject in ("TensorRT for Python", "trtexec"))
    if python is not None and trtexec is not None and python != trtexec:
        message = f"trtexec is {trtexec}, the Python package is {python}: engines of one do not load in the other"
        yield Check("one release", WARNING, message, "use one --backend, or install the same release of both")


def _install(extra: str) -> str:
    python = "python" if os.name == "nt" else Path(sys.executable).name or "python3"
    return f"{python} -m pip install 'tensorrt-engine-explorer[{extra}]'"
