"""Where trtexec is on this machine, and which release it is of.

``trtexec --help`` needs no GPU and begins with the banner that names the release.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trex.core.errors import TrexError
from trex.core.release import Release, release_from_text
from trex.ingest.logs.banner import parse_banner

HELP_TIME_LIMIT_S = 30.0

_PROGRAM = "trtexec.exe" if os.name == "nt" else "trtexec"
_MOST_HELP_BYTES = 1 << 20
_ROOT_VARIABLES = ("TENSORRT_ROOT", "TENSORRT_DIR", "TENSORRT_HOME", "TRT_ROOT")
_FOLDERS_OF_A_ROOT = ("bin", "targets/*/bin")
# Where the Debian packages and NVIDIA's containers put it, and where people unpack the archive.
_USUAL_ROOTS = (Path("/usr/src"), Path("/usr/local"), Path("/opt"))
_PARTS_OF_A_USUAL_ROOT = ("tensorrt/bin", "TensorRT*/bin", "TensorRT*/targets/*/bin")
_NO_TRTEXEC_HINT = (
    "give its place with --trtexec PATH, or do without it: --backend tensorrt (the pip wheels of TensorRT hold no "
    "trtexec; it comes with the tar and Debian packages and NVIDIA's containers)"
)
_LISTED = re.compile(r"^  --([A-Za-z0-9]+)(?:\[?=\S+)?(?:,\s*--?([A-Za-z0-9]+))?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Trtexec:
    """A trtexec that answered. build: what its banner says in brackets since 10.4. listed: options in its help text."""

    path: str
    release: Release
    build: int | None = None
    listed: frozenset[str] = frozenset()


def find_trtexec(wanted: str = "", environment: Mapping[str, str] | None = None) -> str:
    """Path of the trtexec to use: the one that is ``wanted`` (a file, a folder or a name on PATH), else the first of
    PATH, of $TENSORRT_ROOT and its like, and of the usual install places. Raises TrexError when there is none.
    """
    environment = os.environ if environment is None else environment
    if wanted:
        # A bare file name would be looked for on PATH when it is started.
        return str(Path(_wanted(wanted, environment)).absolute())
    on_path = shutil.which(_PROGRAM, path=environment.get("PATH", ""))
    if on_path:
        return str(Path(on_path).absolute())
    for folder in _install_folders(environment):
        candidate = folder / _PROGRAM
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    raise TrexError("trtexec was not found on the PATH or in the usual places", _NO_TRTEXEC_HINT)


def ask_trtexec(path: str, time_limit_s: float = HELP_TIME_LIMIT_S) -> Trtexec:
    """Runs ``trtexec --help`` and reads its release off the banner.

    Raises TrexError for a program that does not start, does not answer within the limit, or is no trtexec.
    """
    text, code, is_late = _help_text(path, time_limit_s)
    for line in () if is_late else text.splitlines():
        banner = parse_banner(line)
        if banner is None or banner.kind != "RUNNING":
            continue
        release = release_from_text(banner.tensorrt_version)
        if release is None:
            break
        build = re.search(r"\] \[b(\d{1,9})\] #", line)
        names = (name for match in _LISTED.finditer(text) for name in match.groups() if name)
        return Trtexec(path, release, int(build[1]) if build else None, frozenset(names))
    raise _no_answer(path, text, code, is_late, time_limit_s)


def _wanted(wanted: str, environment: Mapping[str, str]) -> str:
    path = Path(wanted).expanduser()
    if path.is_dir():
        inside = [path / _PROGRAM, *(folder / _PROGRAM for part in _FOLDERS_OF_A_ROOT for folder in path.glob(part))]
        found = next((file for file in inside if file.is_file()), None)
        if found is None:
            raise TrexError("there is no trtexec in this folder", _NO_TRTEXEC_HINT, str(path))
        path = found
    elif not path.is_file():
        on_path = shutil.which(wanted, path=environment.get("PATH", "")) if path.name == wanted else None
        if on_path is None:
            raise TrexError("there is no trtexec here", _NO_TRTEXEC_HINT, wanted)
        return on_path
    if not os.access(path, os.X_OK):
        raise TrexError("this trtexec may not be executed", f"chmod +x {path}", str(path))
    return str(path)


def _install_folders(environment: Mapping[str, str]) -> Iterator[Path]:
    for name in _ROOT_VARIABLES:
        if root := environment.get(name, ""):
            for part in _FOLDERS_OF_A_ROOT:
                yield from _newest_first(Path(root).glob(part))
            yield Path(root)
    for base in _USUAL_ROOTS:
        for part in _PARTS_OF_A_USUAL_ROOT:
            yield from _newest_first(base.glob(part))


def _newest_first(folders: Iterable[Path]) -> list[Path]:
    """TensorRT-10.16 before TensorRT-10.4."""
    return sorted(folders, key=lambda folder: [int(n) for n in re.findall(r"\d{1,9}", str(folder))], reverse=True)


def _help_text(path: str, time_limit_s: float) -> tuple[str, int | None, bool]:
    """(what it printed, its exit code, whether it was stopped for taking too long)."""
    try:
        child = subprocess.Popen(
            [path, "--help"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise TrexError(
            f"trtexec could not be started: {error.strerror}",
            "is it a program of this machine's architecture? --trtexec PATH chooses another",
            path,
        ) from None
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill(child)

    timer = threading.Timer(time_limit_s, stop)
    timer.start()
    try:
        assert child.stdout is not None
        data = child.stdout.read(_MOST_HELP_BYTES)
        is_endless = len(data) == _MOST_HELP_BYTES  # no help text: whatever this is, it may go on for ever
        if is_endless:
            _kill(child)
        code = child.wait()
    finally:
        timer.cancel()
        if child.poll() is None:
            _kill(child)
            child.wait()
        if child.stdout is not None:
            child.stdout.close()
    return data.decode("utf-8", "replace"), None if is_endless else code, late.is_set()


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Ends the child and what it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "nt":
            child.kill()
        else:
            os.killpg(child.pid, signal.SIGKILL)


def _no_answer(path: str, text: str, code: int | None, is_late: bool, time_limit_s: float) -> TrexError:
    said = next((line for line in text.splitlines() if line.strip()), "")
    if is_late:
        return TrexError(
            f"trtexec --help did not answer within {time_limit_s:g} s",
            "run it by hand to see where it hangs; a driver or file system that does not answer is a usual cause",
            path,
            said,
        )
    if "error while loading shared libraries" in text or "Library not loaded" in text:
        return TrexError(
            "trtexec does not find its libraries",
            "add TensorRT's lib folder to LD_LIBRARY_PATH",
            path,
            next(line for line in text.splitlines() if "shared libraries" in line or "not loaded" in line),
        )
    if code is not None and code < 0:
        return TrexError(f"trtexec --help died of signal {-code}", "run it by hand", path, said)
    return TrexError(
        "this program does not say of which TensorRT it is, as trtexec does",
        "--trtexec PATH chooses another; TensorRT 8.2 to 11 are supported",
        path,
        said,
    )
