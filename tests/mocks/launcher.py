"""An executable ``trtexec`` in a folder, and the file that it takes for an ONNX model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]

# release → what its banner and version line say
RELEASES = {
    "8.2": "8.2.1", "8.4": "8.4.1", "8.5": "8.5.3", "8.6": "8.6.1", "9.3": "9.3.0",
    "10.0": "10.0.1", "10.4": "10.4.0", "10.16": "10.16.1", "11.0": "11.0.0", "11.1": "11.1.0",
}  # fmt: skip

_SCRIPT = """#!{python} -SE
import sys
sys.path.insert(0, {repository!r})
from tests.mocks.trtexec import main
sys.exit(main(sys.argv, {version!r}, {behavior!r}))
"""


def write_trtexec(folder: Path, release: str = "10.4", **behavior: Any) -> Path:
    """An executable ``trtexec`` of this release (``10.4``, or ``10.4.1`` for another patch). behavior: see ``faults``;
    the environment variable TREX_MOCK (JSON) goes before it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "trtexec"
    version = RELEASES.get(release, release)
    path.write_text(
        _SCRIPT.format(
            python=sys.executable, repository=str(REPOSITORY), version=version, behavior=json.dumps(behavior)
        ),
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path


def write_model(path: Path, **facts: Any) -> Path:
    """What the mock takes for an ONNX model: one in its wire format, which has inputs and no nodes. What is to be
    built stands in its description.

    facts: inputs ({name: dimensions, −1 for dynamic}), network (cnn, transformer), layers (12), type (FP32), names
    (layer names to use instead of the first layers' own).
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    graph = b"".join(_part(11, _input(name, sizes)) for name, sizes in facts.get("inputs", {}).items())
    path.write_bytes(b"\x08\x08" + _part(6, json.dumps(facts).encode()) + _part(7, graph) * bool(graph))
    return path


def _input(name: str, sizes: list[int]) -> bytes:
    """A ValueInfoProto of FP32."""
    shape = b"".join(
        _part(1, b"\x08" + _varint(size) if size >= 0 else _part(2, b"N")) for size in sizes
    )  # fmt: skip
    return _part(1, name.encode()) + _part(2, _part(1, b"\x08\x01" + _part(2, shape)))


def _part(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    match = bytearray()
    while value > 0x7F:
        match.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*match, value))
