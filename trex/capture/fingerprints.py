"""Files → FileRecords (size, time, SHA-256), which show whether a file has changed since it was used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from trex.core.errors import TrexError

_CHUNK_BYTES = 1 << 20
# Endings of weights that exporters write next to a model: resnet.onnx.data, resnet.onnx_data, resnet.weights …
_WEIGHTS = ("data", "weights", "bin", "pb")

FileFacts = tuple[str, int, int]
"""(name or path, size in bytes, modification time in ns)"""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file at one time. path: as given. modified_ns: nanoseconds since 1970."""

    path: str
    size_bytes: int
    modified_ns: int
    sha256: str

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def record_of(path: str | Path, known: FileRecord | None = None) -> FileRecord:
    """known: an earlier record of the file. With the same size and time its hash is reused, so that engines of many GiB
    are read once. Raises TrexError for a file that cannot be read.
    """
    path = Path(path)
    try:
        stat = path.stat()
        if known is not None and (known.size_bytes, known.modified_ns) == (stat.st_size, stat.st_mtime_ns):
            return FileRecord(str(path), stat.st_size, stat.st_mtime_ns, known.sha256)
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                digest.update(chunk)
    except OSError as error:
        raise TrexError(f"the file cannot be read: {error.strerror}", "check its permissions", str(path)) from None
    return FileRecord(str(path), stat.st_size, stat.st_mtime_ns, digest.hexdigest())


def is_unchanged(record: FileRecord | None, path: str | Path) -> bool:
    """Whether the file still is as recorded."""
    if record is None or not Path(path).is_file():
        return False
    try:
        return record_of(path, record).sha256 == record.sha256
    except TrexError:
        return False


def record_from(value: object) -> FileRecord | None:
    """A record from a manifest; None for anything else."""
    if not isinstance(value, Mapping):
        return None
    path, sha256 = value.get("path"), value.get("sha256")
    size, modified = value.get("size_bytes"), value.get("modified_ns")
    if isinstance(path, str) and isinstance(sha256, str) and isinstance(size, int) and isinstance(modified, int):
        return FileRecord(path, size, modified, sha256)
    return None


def fingerprint(*facts: object) -> str:
    """One hash of everything that a stage depends on."""
    return hashlib.sha256(json.dumps(facts, ensure_ascii=True, default=str).encode()).hexdigest()


def files_of_model(model: Path) -> list[FileFacts]:
    """Files next to a model that are named like its weights: ONNX keeps those of large models outside."""
    facts = []
    for path in _neighbors(model):
        is_named_so = path.name.startswith((model.name, f"{model.stem}.", f"{model.stem}_", f"{model.stem}-"))
        if path != model and is_named_so and path.name.lower().endswith(_WEIGHTS):
            stat = path.stat()
            facts.append((path.name, stat.st_size, stat.st_mtime_ns))
    return sorted(facts)


def files_in_arguments(arguments: Iterable[str]) -> list[FileFacts]:
    """Files that options name: calibration caches, plugin libraries, inputs."""
    facts = []
    for argument in arguments:
        value = argument.partition("=")[2]
        for part in value.split(","):
            for text in (part, part.partition(":")[2]):
                if text and len(text) < 4096 and "\0" not in text and Path(text).is_file():
                    stat = Path(text).stat()
                    facts.append((text, stat.st_size, stat.st_mtime_ns))
    return sorted(set(facts))


def _neighbors(model: Path) -> list[Path]:
    try:
        return [path for path in model.parent.iterdir() if path.is_file()]
    except OSError:
        return []
