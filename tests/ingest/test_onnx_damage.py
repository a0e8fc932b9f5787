"""Damaged models: any bytes are read or refused, even if ONNX's own code crashes."""

import random

import pytest

from trex.core.errors import TrexError
from trex.ingest.onnx_child import OnnxChildResult
from trex.ingest.onnx_model import read_model
from trex.perf.work.operators import operator_count

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper  # noqa: E402

from tests.onnx_models import Net, convolution  # noqa: E402


@pytest.fixture(scope="module")
def whole():
    """A model of many kinds of fields: constants, subgraphs, functions, left-out inputs, lists, symbols."""
    net = Net(opset=20, own=1)
    y = convolution(net, net.input("x", ("N", 3, 16, 16)), 3, 8, 3, "conv")
    one, two = net.node("Split", net.node("Reshape", y, net.constant([0, 8, -1])), outputs=2, axis=2, num_outputs=2)
    y = net.node("MatMul", one, net.node("Transpose", two, perm=[0, 2, 1]))
    inner = helper.make_graph(
        [helper.make_node("Relu", [y], ["r"])], "then", [], [helper.make_tensor_value_info("r", 1, None)]
    )
    y = net.node("If", net.input("k", (), TensorProto.BOOL), then_branch=inner, else_branch=inner)
    y, *_ = net.node("LSTM", y, net.weight(1, 12, 8), net.weight(1, 12, 3), hidden_size=3, outputs=2)
    y = net.node("Einsum", y, y, equation="abcd,abcd->abc")
    y, _ = net.node("TopK", y, net.constant([1]), outputs=2)
    y = net.node("Resize", y, "", net.constant([1, 1, 2], type=TensorProto.FLOAT))
    y = net.node("Square", y, domain="own")
    body = [helper.make_node("Mul", ["a", "a"], ["b"])]
    net.functions.append(helper.make_function("own", "Square", ["a"], ["b"], body, [helper.make_opsetid("", 20)]))
    net.output(net.node("QuantizeLinear", y, net.constant([0.5], (), TensorProto.FLOAT)))
    return net.proto().SerializeToString()


def damaged(data, seed):
    """One to eight bytes changed, cut out or repeated."""
    chance, damage = random.Random(seed), bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        at, way = chance.randrange(len(damage)), chance.random()
        if way < 0.7:
            damage[at] = chance.randrange(256)
        elif way < 0.85:
            del damage[at : at + chance.randrange(1, 12)]
        else:
            start = chance.randrange(len(damage))
            damage[at:at] = damage[start : start + chance.randrange(1, 40)]
    return bytes(damage)


def use(path, seed):
    """True if the model was read; only TrexError may refuse it."""
    try:
        model = read_model(path, {"x": (2, 3, 16, 16)} if seed % 2 else None, is_asked=bool(seed % 4))
    except TrexError as error:
        assert str(error)
        return False
    for operator in model.operators:
        work = operator_count(operator, model)
        assert work.macs is not None or work.reason
    assert all(str(note).isprintable() for note in model.notes)
    return len(model.consumers) >= 0


def test_damage_is_read_or_refused(whole, tmp_path, monkeypatch):
    """Without ONNX's inference, which is slow; it is tested below."""
    monkeypatch.setattr("trex.ingest.onnx_shapes.inferred", lambda data, **_: OnnxChildResult(problem="left out"))
    monkeypatch.setattr("trex.ingest.onnx_model.inlined", lambda data: OnnxChildResult(problem="left out"))
    path, read = tmp_path / "m.onnx", 0
    for seed in range(400):
        path.write_bytes(damaged(whole, seed))
        read += use(path, seed)
    assert 40 < read < 360


@pytest.mark.slow
def test_damage_is_inferred_or_a_note(whole, tmp_path):
    path = tmp_path / "m.onnx"
    for seed in range(1000, 1010):
        path.write_bytes(damaged(whole, seed))
        use(path, seed)
