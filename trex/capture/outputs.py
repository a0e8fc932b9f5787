"""Outputs: the files of one engine in the output folder, under the names that TREx gave them; the engine's release.

Engines since 8.6 begin with ``ftrt`` and a serialization version; bytes 24 to 27 are major, minor, patch and build.
Source: trtexec's getPlanVersion.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.release import Release

ENGINE_ENDINGS = (".engine", ".plan", ".trt")


def _file(ending: str) -> cached_property[Path]:
    return cached_property(lambda outputs: outputs.folder / f"{outputs.name}{ending}")


@dataclass(frozen=True)
class Outputs:
    """name: beginning of all file names (``resnet.onnx.engine``).

    engine: in the folder, or where the user has it. model: the ONNX file, None if the user gave an engine. built: the
    folder with the files of the build that are not in ``folder``.
    """

    folder: Path
    name: str
    engine: Path
    model: Path | None = None
    built: Path | None = None

    graph = _file(".graph.json")
    profile = _file(".profile.json")
    times = _file(".timing.json")
    build_log = _file(".build.log")
    build_metadata = _file(".build.metadata.json")
    profile_log = _file(".profile.log")
    profile_metadata = _file(".profile.metadata.json")
    telemetry = _file(".monitor.json")
    picture = _file(".graph.json.svg")
    report = _file(".report.html")
    archive = _file(".tea")

    def moved(self, folder: Path) -> Outputs:
        """The same files in another folder; an engine of the user stays where it is."""
        return Outputs(folder, self.name, folder / self.name if self.model else self.engine, self.model, self.folder)

    @property
    def built_graph(self) -> Path:
        return self.graph if self.built is None or self.graph.is_file() else self.built / self.graph.name

    @property
    def files(self) -> tuple[Path, ...]:
        """All of this engine that a run writes."""
        engine = (self.engine,) if self.model else ()
        return (
            *engine, self.graph, self.profile, self.times, self.build_log, self.build_metadata, self.profile_log,
            self.profile_metadata, self.telemetry, self.picture, self.report,
        )  # fmt: skip

    def log(self, stage: str) -> Path:
        return self.build_log if stage == "build" else self.profile_log

    @property
    def timing_cache(self) -> Path:
        return self.folder / "timing.cache"

    @property
    def manifest(self) -> Path:
        return self.folder / "manifest.json"


def outputs_of(model: str, outdir: str) -> Outputs:
    """Files of a model or an existing engine. Raises TrexError if it is missing, a folder, empty or unreadable."""
    path = Path(model)
    folder = Path(outdir)
    if _is_engine(path):
        return Outputs(folder, path.name, path)
    name = f"{path.name}.engine"
    return Outputs(folder, name, folder / name, path)


def make_folder(folder: Path) -> None:
    """Creates the folder if needed. Raises TrexError if it cannot."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise TrexError("the output folder is a file", "name a folder", str(folder)) from None
    except OSError as error:
        raise TrexError(
            f"the output folder cannot be created: {error.strerror}", "choose another folder", str(folder)
        ) from None


def _is_engine(path: Path) -> bool:
    if path.is_dir():
        raise TrexError("this is a folder, not a model", "name an ONNX file or an engine in it", str(path))
    if path.exists() and not path.is_file():
        raise TrexError("this is a device or a pipe, not a model", "save its content to a file", str(path))
    try:
        with path.open("rb") as file:
            head = file.read(len(PLAN_MAGIC))
    except FileNotFoundError:
        raise TrexError("there is no such model", "check the path", str(path)) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise TrexError(f"the model cannot be read: {reason}", "check its permissions", str(path)) from None
    if not head:
        raise TrexError("the model is an empty file", "export or download it again", str(path))
    return path.suffix.lower() in ENGINE_ENDINGS or head == PLAN_MAGIC


PLAN_MAGIC = b"ftrt"
HEADER_BYTES = 28


def engine_release(path: str | Path) -> Release | None:
    """The release that built an engine, from its header; None for engines before 8.6 and for other files.

    Raises TrexError for a file that is empty or cannot be read.
    """
    try:
        with Path(path).open("rb") as file:
            header = file.read(HEADER_BYTES)
    except OSError as error:
        raise TrexError(
            f"the engine cannot be read: {error.strerror}", "check the path and its permissions", str(path)
        ) from None
    if not header:
        raise TrexError("the engine file is empty", "its build did not finish: build it again", str(path))
    if len(header) < HEADER_BYTES or not header.startswith(PLAN_MAGIC):
        return None
    return Release(*header[24:27])


def check_engine_release(path: str | Path, ours: Release) -> tuple[Note, ...]:
    """Whether TensorRT ``ours`` can run an engine, by its header.

    Raises TrexError if it cannot: built by a newer TensorRT or by another major release. An older one of the same major
    release runs only if it was built with --versionCompatible, which the header does not say: a Note.
    """
    built = engine_release(path)
    if built is None or built == ours:
        return ()
    message = f"the engine was built by TensorRT {built}, and this is TensorRT {ours}"
    if built.major != ours.major or built.pair > ours.pair:
        hint = f"run it with TensorRT {built.major}.{built.minor}, or build it again from the ONNX model"
        raise TrexError(message, hint, str(path))
    hint = f"unless it was built with --versionCompatible it needs TensorRT {built}"
    return (Note("engine-of-another-release", message, hint, str(path)),)
