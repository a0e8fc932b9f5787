from functools import partial

import pytest

from trex.ingest import onnx_child
from trex.ingest.onnx_child import inferred, inlined
from trex.ingest.onnx_model import read_model

onnx = pytest.importorskip("onnx")

from tests.onnx_models import Net  # noqa: E402


def without_deadline(run, *words, timeout, **options):
    return run(*words, timeout=60, **options)


def relu(shape=("N", 4)):
    net = Net()
    net.output(net.node("Relu", net.input("x", shape)))
    return net.proto().SerializeToString()


def test_shapes_are_inferred():
    result = inferred(relu())
    (output,) = onnx.load_model_from_string(result.data).graph.output
    assert result.problem == "" and output.type.tensor_type.shape.dim[1].dim_value == 4


def test_a_complaint_of_the_library_is_the_problem():
    net = Net()
    net.output(net.node("MatMul", net.input("x", (2, 3)), net.input("y", (4, 5)), name="/bad"))
    result = inferred(net.proto().SerializeToString(), is_strict=True)
    assert result.data == b"" and "/bad" in result.problem and len(result.problem) <= 300


def test_a_model_is_read_by_way_of_it(tmp_path):
    model = read_model(write(tmp_path, relu()), {"x": (3, 4)})
    assert model.outputs[0].shape == (3, 4) and model.notes == ()


def write(folder, data):
    (folder / "m.onnx").write_bytes(data)
    return folder / "m.onnx"


def test_bytes_that_are_no_model_are_a_problem():
    assert inlined(b"no model at all").problem


@pytest.mark.parametrize(
    ("statements", "problem"),
    [
        ("import os; os.abort()", "crashed (SIGABRT)"),
        ("import no_such_module", "No module named 'no_such_module'"),
        ("import time; time.sleep(60)", "longer than 0.5 s"),
        ("while 'busy': pass", "crashed (SIGXCPU)"),
        pytest.param("run = lambda data: bytearray(2 << 30)", "MemoryError", id="memory"),
    ],
)
def test_however_the_process_ends_there_is_an_answer(statements, problem, monkeypatch):
    monkeypatch.setattr(onnx_child, "_INLINE", statements)
    if "busy" in statements:
        monkeypatch.setattr(onnx_child, "TIME_LIMIT_S", 0.9)
        monkeypatch.setattr(onnx_child.subprocess, "run", partial(without_deadline, onnx_child.subprocess.run))
    if "sleep" in statements:
        monkeypatch.setattr(onnx_child, "TIME_LIMIT_S", 0.5)
    result = inlined(b"")
    assert result.data == b"" and problem in result.problem


def test_without_an_interpreter_the_result_says_so(monkeypatch):
    monkeypatch.setattr(onnx_child.sys, "executable", "/no/such/python")
    assert "child process could not be started" in inlined(b"").problem


def test_modules_of_the_current_folder_are_not_run(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit(7)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(onnx_child.sys, "path", [entry for entry in onnx_child.sys.path if entry])
    assert inferred(relu()).problem == ""
