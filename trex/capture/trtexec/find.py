"""Where trtexec is on this machine; its release, from ``trtexec --help``."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trex.capture.probe import ProgramOutput, run_program
from trex.core.errors import TrexError
from trex.core.printable import shell_word
from trex.core.release import Release, release_from_text
from trex.ingest.logs.banner import parse_banner

HELP_TIME_LIMIT_S = 30.0
ROOT_VARIABLES = ("TENSORRT_ROOT", "TENSORRT_DIR", "TENSORRT_HOME", "TRT_ROOT")

_PROGRAM = "trtexec.exe" if os.name == "nt" else "trtexec"
_FOLDERS_OF_A_ROOT = ("bin", "targets/*/bin")
# Where Debian packages, NVIDIA's containers and unpacked archives have it.
_USUAL_ROOTS = (Path("/usr/src"), Path("/usr/local"), Path("/opt"))
_FOLDERS_OF_A_USUAL_ROOT = ("tensorrt/bin", "TensorRT*/bin", "TensorRT*/targets/*/bin")
_NO_TRTEXEC_HINT = (
    "name it with --trtexec PATH, or use --backend tensorrt (pip wheels of TensorRT contain no trtexec; tar and Debian "
    "packages and NVIDIA's containers do)"
)
_OTHER_HINT = "--trtexec PATH chooses another; TensorRT 8.2 to 11 are supported"
_LISTED = re.compile(r"^  --([A-Za-z0-9]+)(?:\[?=\S+)?(?:,\s*--?([A-Za-z0-9]+))?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Trtexec:
    """A trtexec that answered. listed: options in its help text."""

    path: str
    release: Release
    listed: frozenset[str] = frozenset()


def find_trtexec(wanted: str = "", environment: Mapping[str, str] | None = None) -> str:
    """Path of the trtexec to use: ``wanted`` (a file, a folder or a name on PATH), else the first on PATH, in
    $TENSORRT_ROOT and similar variables, and in the usual install folders. Raises TrexError if there is none.
    """
    environment = os.environ if environment is None else environment
    if wanted:
        # Absolute, as a bare file name would be searched on PATH when it is started.
        return str(Path(_wanted(wanted, environment)).absolute())
    on_path = shutil.which(_PROGRAM, path=environment.get("PATH", ""))
    if on_path:
        return str(Path(on_path).absolute())
    for folder in _install_folders(environment):
        candidate = folder / _PROGRAM
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    raise TrexError("trtexec was not found on the PATH or in the usual folders", _NO_TRTEXEC_HINT)


def ask_trtexec(path: str, time_limit_s: float = HELP_TIME_LIMIT_S) -> Trtexec:
    """Runs ``trtexec --help`` and reads the release in its banner.

    Raises TrexError for a program that does not start, does not answer in time, or is not trtexec.
    """
    output = run_program([path, "--help"], time_limit_s)
    for line in () if output.is_late else output.lines:
        banner = parse_banner(line)
        if banner is None or banner.kind != "RUNNING":
            continue
        release = release_from_text(banner.tensorrt_version)
        if release is None:
            break
        names = (name for match in _LISTED.finditer("\n".join(output.lines)) for name in match.groups() if name)
        return Trtexec(path, release, frozenset(names))
    raise _no_answer(path, output)


def _wanted(wanted: str, environment: Mapping[str, str]) -> str:
    path = Path(os.path.expanduser(wanted))  # noqa: PTH111 (Path raises without such a user)
    if path.is_dir():
        folders = [path, *(folder for pattern in _FOLDERS_OF_A_ROOT for folder in path.glob(pattern))]
        file = next((folder / _PROGRAM for folder in folders if (folder / _PROGRAM).is_file()), None)
        if file is None:
            raise TrexError("there is no trtexec in this folder", _NO_TRTEXEC_HINT, str(path))
        path = file
    elif not path.is_file():
        on_path = shutil.which(wanted, path=environment.get("PATH", "")) if path.name == wanted else None
        if on_path is None:
            raise TrexError("there is no trtexec here", _NO_TRTEXEC_HINT, wanted)
        return on_path
    if not os.access(path, os.X_OK):
        raise TrexError("this trtexec may not be executed", f"chmod +x {shell_word(str(path))}", str(path))
    return str(path)


def _install_folders(environment: Mapping[str, str]) -> Iterator[Path]:
    for name in ROOT_VARIABLES:
        if root := environment.get(name, ""):
            for pattern in _FOLDERS_OF_A_ROOT:
                yield from _newest_first(Path(root).glob(pattern))
            yield Path(root)
    for base in _USUAL_ROOTS:
        for pattern in _FOLDERS_OF_A_USUAL_ROOT:
            yield from _newest_first(base.glob(pattern))


def _newest_first(folders: Iterable[Path]) -> list[Path]:
    """TensorRT-10.16 before TensorRT-10.4."""
    return sorted(folders, key=lambda folder: [int(n) for n in re.findall(r"\d{1,9}", str(folder))], reverse=True)


def _no_answer(path: str, output: ProgramOutput) -> TrexError:
    lines = [line for line in output.lines if line.strip()]
    first_line = lines[0] if lines else ""
    loader_error = next((line for line in lines if "loading shared libraries" in line or "not loaded" in line), "")
    if loader_error:
        hint = "add TensorRT's lib folder to LD_LIBRARY_PATH"
        return TrexError("trtexec does not find its libraries", hint, path, loader_error)
    if output.is_late or output.exit_code < 0:
        hint = "run it yourself; if it hangs, often a driver or file system does not respond"
        return TrexError(f"trtexec --help failed: {output.problem}", hint, path, first_line)
    return TrexError("this program does not print a TensorRT release, as trtexec does", _OTHER_HINT, path, first_line)
