"""Bytes of an ONNX model with too many parts are refused before protobuf makes an object of each."""

import os

import pytest

from trex.core.errors import TrexError
from trex.ingest import onnx_parts
from trex.ingest.onnx_model import read_model, written_ends
from trex.ingest.onnx_parts import check_parts

onnx = pytest.importorskip("onnx")

from tests.onnx_models import resnet18, transformer  # noqa: E402

SIZE = 1_000_000


def varint(number):
    text = bytearray()
    while number > 127:
        text.append(number & 127 | 128)
        number >>= 7
    return bytes((*text, number))


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def model(data):
    """Bytes of a model with these fields in its graph, in front of one operator."""
    node = field(1, field(1, b"x") + field(2, b"y") + field(4, b"Relu"))
    graph = data + node + field(11, field(1, b"x")) + field(12, field(1, b"y"))
    return b"\x08\x08" + field(7, graph) + field(8, b"\x10\x11")


def shape(data):
    """A value's type: a tensor of float with these dimensions."""
    return field(2, field(1, b"\x08\x01" + field(2, data)))


def attribute(number, data):
    return field(1, field(2, b"z") + field(4, b"Constant") + field(5, field(1, b"a") + field(number, data)))


EMPTY = b"\x0a\x00"
FILLERS = {
    "dimensions of an initializer": field(5, field(1, b"\x01" * 2 * SIZE) + field(8, b"w")),
    "dimensions that are not packed": field(5, b"\x08\x01" * 2 * SIZE + field(8, b"w")),
    "dimensions of a constant": attribute(5, field(1, b"\x01" * 2 * SIZE)),
    "dimensions of a value": field(13, field(1, b"v") + shape(EMPTY * 2 * SIZE)),
    "dimensions of an input": field(11, field(1, b"v") + shape(EMPTY * 2 * SIZE)),
    "integers of an attribute": attribute(8, b"\x01" * 2 * SIZE),
    "numbers of an attribute": attribute(7, b"\x00\x00\x80\x3f" * 3 * SIZE),
    "texts of an attribute": field(1, field(5, b"\x4a\x00" * 2 * SIZE)),
    "graphs of an attribute": field(1, field(5, b"\x5a\x00" * 2 * SIZE)),
    "attributes": field(1, b"\x2a\x00" * 2 * SIZE),
    "inputs of an operator": field(1, EMPTY * 2 * SIZE),
    "unknown fields": b"\x9a\x06\x00" * 2 * SIZE,
    "operators": EMPTY * SIZE,
    "initializers": b"\x2a\x00" * SIZE,
    "inputs": b"\x5a\x00" * SIZE,
    "outputs": b"\x62\x00" * SIZE,
    "values": b"\x6a\x00" * SIZE,
    "operators in a graph inside": field(1, field(5, field(6, EMPTY * SIZE))),
}


@pytest.mark.parametrize("name", FILLERS)
def test_too_many_parts_are_refused_before_they_are_parsed(tmp_path, monkeypatch, name):
    monkeypatch.setattr(onnx, "load_model_from_string", pytest.fail)
    path = tmp_path / "filled.onnx"
    path.write_bytes(model(FILLERS[name]))
    for read in (read_model, written_ends):
        with pytest.raises(TrexError, match=r"filled\.onnx: the model has more than [0-9,]+ ") as caught:
            read(path)
        assert "check that this is the right file" in caught.value.hint


@pytest.mark.parametrize("number, what", [(14, "metadata"), (8, "operator sets"), (25, "functions"), (7, "graphs")])
def test_too_many_parts_outside_of_the_graph_are_refused(number, what):
    with pytest.raises(TrexError, match="the model has more than"):
        check_parts(model(b"") + field(number, b"") * 2 * SIZE, what)


def test_data_of_tensors_and_long_texts_are_no_parts():
    numbers = [field(field_number, b"\x01" * 3 * SIZE) for field_number in (4, 5, 7, 9, 10, 11)]
    check_parts(model(field(5, b"".join(numbers)) + field(1, field(3, b"n" * 3 * SIZE))), "m.onnx")


@pytest.mark.parametrize(
    "data",
    [
        field(5, field(1, b"\x01" * 9))[:-1],
        b"\x8a" * 11,
        b"\x9b\x06\x9c\x06",
        b"\x08",
        field(7, b"\x0a\x01"),
    ],
    ids=["cut off", "endless number", "group", "no number", "longer than what is around it"],
)
def test_damaged_messages_are_refused(tmp_path, data):
    path = tmp_path / "m.onnx"
    path.write_bytes(field(6, b"d" * SIZE) + data)
    with pytest.raises(TrexError, match="not an ONNX model, or it is damaged"):
        read_model(path)


def test_nul_bytes_after_a_model_are_named_at_once(tmp_path):
    """As a crash or a download leaves them; a loop over 64 MB of them took 20 seconds."""
    path = tmp_path / "m.onnx"
    path.write_bytes(model(b""))
    os.truncate(path, 64 << 20)
    with pytest.raises(TrexError, match="it ends in NUL bytes") as caught:
        read_model(path)
    assert "again" in caught.value.hint
    with pytest.raises(ValueError, match="number 0"):
        check_parts(path.read_bytes(), "m.onnx")


def test_messages_nested_deeper_than_protobuf_reads_are_refused():
    data = field(10, b"d" * SIZE)
    for _ in range(40):
        data = field(1, field(5, field(6, data)))
    with pytest.raises(ValueError, match="nested too deep"):
        check_parts(field(7, data), "m.onnx")


@pytest.mark.parametrize("net", [resnet18(), transformer()], ids=["resnet18", "transformer"])
def test_networks_are_far_from_the_limits(monkeypatch, net):
    """Also without weights, which are the most of real files."""
    proto = net.proto()
    proto.graph.value_info.extend(onnx.shape_inference.infer_shapes(proto).graph.value_info)
    data = proto.SerializeToString()
    monkeypatch.setattr(onnx_parts, "_MOST_PARTS", 0)
    monkeypatch.setattr(onnx_parts, "_BYTES_PER_PART", 6)
    monkeypatch.setattr(onnx_parts, "_MOST_ENTRIES", 0)
    monkeypatch.setattr(onnx_parts, "_BYTES_PER_ENTRY", 45)
    check_parts(data, "m.onnx")
