"""signature: binary formats by their first bytes, and the next command."""

from __future__ import annotations

import pytest

from trex.core.errors import TrexError
from trex.ingest.signature import refuse_binary, signature_of

PLAN = b"ftrt" + bytes(20) + bytes([10, 16, 1, 11]) + bytes(40)
HEADER = b'{"description": "YOLO", "names": {"0": "person"}}'
BEHIND_HEADER = len(HEADER).to_bytes(4, "little") + HEADER + PLAN


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (PLAN, "plan"),
        (b"ftrt", "plan"),
        (b"vtrt\0\0\0\0\2\0\0\0", "plan"),  # of TensorRT for RTX
        (BEHIND_HEADER, "plan"),
        (len(HEADER).to_bytes(4, "little") + HEADER + b"else", "binary"),
        ((9000).to_bytes(4, "little") + b'{"names": "' + b"x" * 8000, "plan"),
        ((9000).to_bytes(4, "little") + b'{"\x00\x01' + bytes(8000), "binary"),
        (b"\x08\x09\x12\x07pytorch", "onnx"),
        (b"PK\x03\x04....", "zip"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"\x28\xb5\x2f\xfd....", "zstd"),
        (b"SQLite format 3\0\x10\0", "sqlite"),
        (bytes(64), "binary"),
        (bytes(range(256)), "binary"),
    ],
)
def test_binary_formats(head: bytes, name: str) -> None:
    signature = signature_of(head)
    assert signature is not None
    assert signature.name == name


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"plain text\n",
        b'{"a": "\x00\x01\x02"}',
        "caf\u00e9 \u65e5\u672c\u8a9e".encode(),
        "wide text".encode("utf-16"),
        "wide text".encode("utf-16-le"),
        b"\x1b[32mgreen\x1b[0m",
        b"a\x1eb\x1fc",
    ],
)
def test_text_has_no_signature(head: bytes) -> None:
    assert signature_of(head) is None


@pytest.mark.parametrize(("head", "version"), [(PLAN, "10.16.1.11"), (PLAN[:20], ""), (b"ftrt" + bytes(60), "")])
def test_the_version_in_a_plan(head: bytes, version: str) -> None:
    signature = signature_of(head)
    assert signature is not None and signature.version == version
    assert signature.description.split() == ["a", "serialized", "TensorRT", *version.split(), "engine"]


def test_the_command_is_for_this_file() -> None:
    with pytest.raises(TrexError) as error:
        refuse_binary(PLAN, "my engines/x.engine")
    assert "TensorRT 10.16.1.11 engine" in error.value.message
    assert "--loadEngine='my engines/x.engine' --exportLayerInfo='my engines/x.engine.graph.json'" in error.value.hint
    assert "trex process 'my engines/x.engine' 'my engines' --profile-engine" in error.value.hint
    refuse_binary(b"{}", "x.json")


def test_what_an_exporter_wrote_before_the_engine_is_cut_off() -> None:
    with pytest.raises(TrexError) as error:
        refuse_binary(BEHIND_HEADER, "yolo.engine")
    assert "TensorRT 10.16.1.11 engine" in error.value.message
    assert f"tail -c +{5 + len(HEADER)} yolo.engine > yolo.engine.plan; then " in error.value.hint
    assert "trtexec --loadEngine=yolo.engine.plan" in error.value.hint
    assert BEHIND_HEADER[4 + len(HEADER) :] == PLAN


def test_an_engine_of_tensorrt_for_rtx_is_built_again() -> None:
    with pytest.raises(TrexError, match="a serialized engine of TensorRT for RTX") as error:
        refuse_binary(b"vtrt" + bytes(40), "m.engine")
    assert "--backend tensorrt-rtx" in error.value.hint and "trtexec" not in error.value.hint
