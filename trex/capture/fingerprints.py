"""Files → FileRecords (size, time, SHA-256): what tells whether something has changed since it was used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from trex.core.errors import TrexError

_PIECE = 1 << 20
# How exporters call the weights that they write beside a model: resnet.onnx.data, resnet.onnx_data, resnet.weights …
_WEIGHTS = ("data", "weights", "bin", "pb")


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as it was. path: as it was given. modified_ns: its time of modification, nanoseconds since 1970."""

    path: str
    size_bytes: int
    modified_ns: int
    sha256: str

    def as_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in ("path", "size_bytes", "modified_ns", "sha256")}


def record_of(path: str | Path, known: FileRecord | None = None) -> FileRecord:
    """known: an earlier record of the file; with the same size and time its hash is believed, so that engines of many
    GiB are read once. Raises TrexError for a file that cannot be read.
    """
    path = Path(path)
    try:
        facts = path.stat()
        if known is not None and (known.size_bytes, known.modified_ns) == (facts.st_size, facts.st_mtime_ns):
            return FileRecord(str(path), facts.st_size, facts.st_mtime_ns, known.sha256)
        hashed = hashlib.sha256()
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                hashed.update(piece)
    except OSError as error:
        raise TrexError(f"the file cannot be read: {error.strerror}", "check its permissions", str(path)) from None
    return FileRecord(str(path), facts.st_size, facts.st_mtime_ns, hashed.hexdigest())


def is_unchanged(record: FileRecord | None, path: str | Path) -> bool:
    """Whether the file is there as it was recorded."""
    if record is None or not Path(path).is_file():
        return False
    try:
        return record_of(path, record).sha256 == record.sha256
    except TrexError:
        return False


def record_from(value: object) -> FileRecord | None:
    """A record as a manifest holds it; None for anything else."""
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


def files_of_model(model: Path) -> list[tuple[str, int, int]]:
    """(name, size, time) of what lies beside a model as its weights do: ONNX keeps those of large models outside."""
    found = []
    for path in _neighbors(model):
        begins = path.name.startswith((model.name, f"{model.stem}.", f"{model.stem}_", f"{model.stem}-"))
        if path != model and begins and path.name.lower().endswith(_WEIGHTS):
            facts = path.stat()
            found.append((path.name, facts.st_size, facts.st_mtime_ns))
    return sorted(found)


def files_in_words(words: Iterable[str]) -> list[tuple[str, int, int]]:
    """(path, size, time) of the files that options name: calibration caches, plugin libraries, inputs."""
    found = []
    for word in words:
        value = word.partition("=")[2]
        for part in value.split(","):
            for text in (part, part.partition(":")[2]):
                if text and len(text) < 4096 and "\0" not in text and Path(text).is_file():
                    facts = Path(text).stat()
                    found.append((text, facts.st_size, facts.st_mtime_ns))
    return sorted(set(found))


def _neighbors(model: Path) -> list[Path]:
    try:
        return [path for path in model.parent.iterdir() if path.is_file()]
    except OSError:
        return []
