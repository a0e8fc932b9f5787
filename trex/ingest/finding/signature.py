"""First bytes of a file → what binary format it is, and the error that says what to do with one."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass

from trex.core.errors import TrexError

PLAN_MAGIC = b"ftrt"
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")

_SNIFFED_BYTES = 4096
_LONGEST_HEADER = 1 << 20
_WIDE_TEXT_MARKS = (b"\xff\xfe", b"\xfe\xff")
# An ONNX ModelProto opens with field 1 (ir_version, a small number) and goes on with one of its other known fields.
_ONNX_FIELDS = frozenset(b"\x12\x1a\x22\x28\x2a\x32\x3a\x42")
_NOT_IN_TEXT = re.compile(rb"[\x00-\x06\x0e-\x1a\x7f]")


@dataclass(frozen=True, slots=True)
class Signature:
    """A binary format: ``plan``, ``onnx``, ``zip``, ``gzip``, ``zstd`` or ``binary``.

    version: of a plan, or empty. begin: byte at which a plan begins, behind what its exporter wrote.
    """

    name: str
    description: str
    version: str = ""
    begin: int = 0


def signature_of(head: bytes) -> Signature | None:
    """What the first bytes (4 KiB are enough) say; None for text in any encoding, and for nothing at all."""
    head = head[:_SNIFFED_BYTES]
    begin = plan_begin(head)
    if begin is not None:
        version = plan_version(head[begin:])
        return Signature("plan", f"a serialized TensorRT {version} engine".replace("  ", " "), version, begin)
    if head.startswith(ZIP_MAGICS):
        return Signature("zip", "a zip archive")
    if head.startswith(GZIP_MAGIC):
        return Signature("gzip", "compressed with gzip")
    if head.startswith(ZSTD_MAGIC):
        return Signature("zstd", "compressed with zstd")
    if head[:1] == b"\x08" and len(head) > 2 and 0 < head[1] < 32 and head[2] in _ONNX_FIELDS:
        return Signature("onnx", "an ONNX model")
    if head.lstrip(b" \t\r\n\xef\xbb\xbf")[:1] in (b"{", b"[") or is_wide_text(head):
        return None
    if b"\x00" in head or len(_NOT_IN_TEXT.findall(head)) * 20 > len(head):
        return Signature("binary", "binary data")
    return None


def plan_begin(head: bytes) -> int | None:
    """The byte at which a serialized engine begins; None for another file.

    Ultralytics writes the length of a JSON object (4 bytes, the lowest first), the object, then the engine. Source:
    https://github.com/ultralytics/ultralytics, exporter. Where the object is longer than ``head``, it is believed.
    """
    if head.startswith(PLAN_MAGIC):
        return 0
    begin = 4 + int.from_bytes(head[:4], "little")
    if head[4:6] != b'{"' or begin > _LONGEST_HEADER or _NOT_IN_TEXT.search(head, 4, begin):
        return None
    return begin if head[begin : begin + 4] in (PLAN_MAGIC, b"") else None


def plan_version(head: bytes) -> str:
    """``10.4.0.26`` from the header of a serialized engine; "" when it is older than 8.6 or too short.

    Source: trtexec's getPlanVersion: bytes 24 to 27 are major, minor, patch and build.
    """
    if len(head) < 28 or not 8 <= head[24] <= 30:
        return ""
    return ".".join(str(byte) for byte in head[24:28])


def is_wide_text(head: bytes) -> bool:
    """True for UTF-16 and UTF-32 text: by its mark, or because every other byte of its plain characters is zero."""
    if head.startswith(_WIDE_TEXT_MARKS):
        return True
    sample = head[:64]
    even, odd = sample[0::2], sample[1::2]
    if len(even) < 2 or len(odd) < 2:
        return False
    in_even, in_odd = even.count(0) / len(even), odd.count(0) / len(odd)
    return max(in_even, in_odd) >= 0.75 and min(in_even, in_odd) <= 0.1


def refuse_binary(data: bytes, where: str, wanted: str = "JSON") -> None:
    """Raises TrexError, with the next step, when the bytes are a known binary format or no text at all."""
    found = signature_of(data[:_SNIFFED_BYTES])
    if found is not None:
        raise TrexError(f"this is {found.description}, not {wanted}", next_step(found, where), where)


def next_step(found: Signature, where: str) -> str:
    """The command or advice that leads from a binary file to something readable."""
    if found.name == "plan":
        return _next_step_of_plan(found, where or "MODEL.engine")
    if found.name == "onnx":
        stem = where or "MODEL.onnx"
        return (
            f"build an engine from it: trtexec --onnx={shlex.quote(stem)} "
            f"--saveEngine={shlex.quote(stem + '.engine')} --profilingVerbosity=detailed "
            f"--exportLayerInfo={shlex.quote(stem + '.engine.graph.json')}"
        )
    if found.name == "zip":
        return "an engine archive (.tea) is opened by its own path; unpack any other zip first"
    if found.name in ("gzip", "zstd"):
        return "uncompress it first"
    return "pass the JSON or the log that trtexec wrote"


def _next_step_of_plan(found: Signature, engine: str) -> str:
    with_version = f" with trtexec {'.'.join(found.version.split('.')[:2])}" if found.version else ""
    cut = ""
    if found.begin:
        plan = f"{engine}.plan"
        cut = (
            f"cut off what its exporter wrote before it: tail -c +{found.begin + 1} {shlex.quote(engine)} > "
            f"{shlex.quote(plan)}; then "
        )
        engine = plan
    file, graph, folder = map(shlex.quote, (engine, f"{engine}.graph.json", os.path.dirname(engine) or "."))  # noqa: PTH120
    return (
        f"{cut}export its layers{with_version}: trtexec --loadEngine={file} --exportLayerInfo={graph} "
        "(details are there only if it was built with --profilingVerbosity=detailed), or their times, too: "
        f"trex process {file} {folder} --profile-engine"
    )
