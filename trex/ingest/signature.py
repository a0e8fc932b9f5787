"""First bytes of a file → its binary format, and the error that says what to do with it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from trex.core.errors import TrexError
from trex.core.printable import shell_word

PLAN_MAGIC, RTX_MAGIC = b"ftrt", b"vtrt"
TIMING_CACHE_MAGIC = b"ptrt"
"""Engines older than 8.6 begin with it, too."""

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
COMPRESSED_MAGICS = (GZIP_MAGIC, ZSTD_MAGIC)

_HEAD_BYTES = 4096
_LONGEST_HEADER = 1 << 20
# The length of the first value of a timing cache, a hash, and the beginning of the hash: at byte 20, or 24 before 10.
_CACHE_HASH = bytes.fromhex("1880 0100 1000000000000000 0180 0c80 0100 1000000000000000")
_CACHE_HASH_AT = (20, 24)
_WIDE_TEXT_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MAGICS = {
    b"PK\x03\x04": ("zip", "a zip archive"),
    b"PK\x05\x06": ("zip", "a zip archive"),
    GZIP_MAGIC: ("gzip", "compressed with gzip"),
    ZSTD_MAGIC: ("zstd", "compressed with zstd"),
    b"SQLite format 3\x00": ("sqlite", "an SQLite database, as Nsight Systems exports"),
}
_NEXT_STEPS = {
    "zip": "an engine archive (.tea) is opened by its own path; unpack any other zip first",
    "gzip": "uncompress it first",
    "zstd": "uncompress it first",
    "sqlite": "nsys stats and nsys-ai read it; trex reads what TensorRT wrote, such as trtexec's layer profile",
    "binary": "pass the JSON or the log that trtexec wrote",
}
# An ONNX ModelProto starts with field 1 (ir_version, a small number), then one of its other known fields.
_ONNX_FIELDS = frozenset(b"\x12\x1a\x22\x28\x2a\x32\x3a\x42")
_NOT_IN_TEXT = re.compile(rb"[\x00-\x06\x0e-\x1a\x7f]")


@dataclass(frozen=True, slots=True)
class Signature:
    """A binary format: ``plan``, ``cache``, ``onnx``, ``zip``, ``gzip``, ``zstd``, ``sqlite`` or ``binary``.

    version: of a plan, or empty. begin: byte at which a plan starts, after what its exporter wrote.
    """

    name: str
    description: str
    version: str = ""
    begin: int = 0


def signature_of(head: bytes) -> Signature | None:
    """The format of a file by its first bytes (4 KiB are enough); None for text in any encoding, and for no bytes."""
    head = head[:_HEAD_BYTES]
    begin = _plan_begin(head)
    if begin is not None:
        version = _plan_version(head[begin:])
        return Signature("plan", f"a serialized TensorRT{version and ' ' + version} engine", version, begin)
    if head.startswith(RTX_MAGIC):
        return Signature("plan", "a serialized engine of TensorRT for RTX", "for RTX")
    if head.startswith(TIMING_CACHE_MAGIC) and any(head.startswith(_CACHE_HASH, at) for at in _CACHE_HASH_AT):
        return Signature("cache", "a timing cache of TensorRT")
    for magic, names in _MAGICS.items():
        if head.startswith(magic):
            return Signature(*names)
    if head[:1] == b"\x08" and len(head) > 2 and 0 < head[1] < 32 and head[2] in _ONNX_FIELDS:
        return Signature("onnx", "an ONNX model")
    is_json = head.lstrip(b" \t\r\n\xef\xbb\xbf")[:1] in (b"{", b"[")
    text = head.rstrip(b"\x00") or head  # what a crash leaves after a text
    is_binary = b"\x00" in text or len(_NOT_IN_TEXT.findall(text)) * 20 > len(text)
    return Signature("binary", "binary data") if is_binary and not is_json and not is_wide_text(head) else None


def _plan_begin(head: bytes) -> int | None:
    """The byte at which a serialized engine starts; None for another file.

    Ultralytics writes the length of a JSON object (4 bytes, little-endian), the object, then the engine. Source:
    https://github.com/ultralytics/ultralytics, exporter. If the object is longer than ``head``, it is believed.
    """
    if head.startswith(PLAN_MAGIC):
        return 0
    begin = 4 + int.from_bytes(head[:4], "little")
    if head[4:6] != b'{"' or begin > _LONGEST_HEADER or _NOT_IN_TEXT.search(head, 4, begin):
        return None
    return begin if head[begin : begin + 4] in (PLAN_MAGIC, b"") else None


def _plan_version(head: bytes) -> str:
    """``10.4.0.26`` from the header of a serialized engine; "" if it is older than 8.6 or too short.

    Source: trtexec's getPlanVersion: bytes 24 to 27 are major, minor, patch and build.
    """
    return ".".join(map(str, head[24:28])) if len(head) >= 28 and 8 <= head[24] <= 30 else ""


def is_wide_text(head: bytes) -> bool:
    """True for UTF-16 and UTF-32 text: by its mark, or because every other byte of its plain characters is zero."""
    if head.startswith(_WIDE_TEXT_MARKS):
        return True
    even, odd = head[0:64:2], head[1:64:2]
    if len(even) < 2 or len(odd) < 2:
        return False
    few, many = sorted((even.count(0) / len(even), odd.count(0) / len(odd)))
    return many >= 0.75 and few <= 0.1


def refuse_binary(data: bytes, where: str, wanted: str = "JSON") -> None:
    """Raises TrexError, with the next step, if the bytes are a known binary format or no text at all."""
    signature = signature_of(data)
    if signature is not None:
        raise TrexError(f"this is {signature.description}, not {wanted}", next_step(signature, where), where)


def next_step(signature: Signature, where: str) -> str:
    """The command or advice that leads from a binary file to something readable."""
    if signature.name == "onnx":
        model = where or "MODEL.onnx"
        return (
            f"build an engine from it and measure it: trex process {shell_word(model)} OUTDIR; "
            "without a GPU add --backend tensorrt-rtx --device NAME"
        )
    if signature.name == "cache":
        return f"list its tactics: trex cache show {shell_word(where or 'FILE')}"
    if signature.name != "plan":
        return _NEXT_STEPS[signature.name]
    if signature.version == "for RTX":
        return "build it again, which writes its layers: trex process MODEL.onnx OUTDIR --backend tensorrt-rtx"
    engine, cut = where or "MODEL.engine", ""
    if signature.begin:
        command = f"tail -c +{signature.begin + 1} {shell_word(engine)} > {shell_word(engine + '.plan')}"
        cut = f"cut off what its exporter wrote before it: {command}; then "
        engine += ".plan"
    trtexec = " with trtexec " + ".".join(signature.version.split(".")[:2]) if signature.version else ""
    return (
        f"{cut}export its layers{trtexec}: trtexec --loadEngine={shell_word(engine)} "
        f"--exportLayerInfo={shell_word(engine + '.graph.json')} (without --profilingVerbosity=detailed at build time, "
        f"only their names), or their times, too: trex process {shell_word(engine)} "
        f"{shell_word(os.path.dirname(engine) or '.')} --profile-engine"  # noqa: PTH120
    )
