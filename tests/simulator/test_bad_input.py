"""Models that the simulated builder does not understand, or that are none: clear words, and nothing half-written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.simulator.models import Net, target
from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.core.model import Model
from trex.core.operator import AttributeValue, Operator
from trex.core.provenance import Provenance
from trex.engine_plan import load
from trex.simulator.draft import StepKind
from trex.simulator.simulation import Simulation, simulate, simulate_model


class Done(NamedTuple):
    code: int
    out: str
    err: str


TARGET = target("A100", DataType.FP16)


def predicted(model: Model) -> Simulation:
    """The prediction, whose figures are figures and whose engine the reader reads."""
    built = simulate_model(model, TARGET)
    assert built.inference.low_ms <= built.inference.compute_ms <= built.inference.high_ms
    assert 0 <= built.inference.high_ms < float("inf")
    assert len(built.engine.layer_ms) == len(built.engine.graph["Layers"])
    json.dumps(built.engine.graph, allow_nan=False)
    return built


def message_of(simulation: Simulation, code: str) -> str:
    return next(note.message for note in simulation.notes if note.code == code)


class TestUnknown:
    """Unknown operators stay layers of their own."""

    def test_an_unknown_operator(self) -> None:
        net = Net(x=(1, 8, 4, 4))
        net.add("NoSuchThing", "x", "a", 1, 8, 4, 4)
        net.add("Relu", "a", "y", 1, 8, 4, 4)
        built = predicted(net.model("y"))
        assert [step.kind for step in built.draft.steps].count(StepKind.OPAQUE) == 1
        assert "NoSuchThing (1)" in message_of(built, "operators-not-known")
        assert "of unknown work" in message_of(built, "time-of-unknown-work")

    def test_an_operator_of_another_domain_is_not_taken_for_its_namesake(self) -> None:
        net = Net(x=(1, 8, 4, 4))
        net.add("Relu", "x", "y", 1, 8, 4, 4, domain="com.example")
        built = predicted(net.model("y"))
        assert [step.kind for step in built.draft.steps] == [StepKind.OPAQUE]
        assert "com.example" in message_of(built, "operators-not-known")
        (layer,) = built.engine.graph["Layers"]
        assert "Plugin" in layer["LayerType"]

    def test_what_is_between_them_and_other_layers_is_kept(self) -> None:
        net = Net(x=(1, 8, 4, 4))
        net.stored("w", 8, 8, 1, 1)
        net.add("Conv", "x w", "c", 1, 8, 4, 4)
        net.add("Strange", "c", "s", 1, 8, 4, 4)
        net.add("Conv", "s w", "y", 1, 8, 4, 4)
        built = predicted(net.model("y"))
        names = [name for step in built.draft.steps for name in step.origins]
        assert {"Conv_0", "Strange_1", "Conv_2"} <= set(names)

    def test_they_make_the_bars_wider(self) -> None:
        def width(type_: str) -> float:
            net = Net(x=(1, 64, 128, 128))
            net.add(type_, "x", "y", 1, 64, 128, 128)
            inference = predicted(net.model("y")).inference
            return inference.high_ms / inference.low_ms

        assert width("Strange") > width("Relu")


class TestShapes:
    def test_shapes_inside_that_are_not_known(self) -> None:
        net = Net(x=(1, 8, 4, 4))
        net.add("Strange", "x", "a")
        net.values["a"] = type(net.values["a"])("a", None, DataType.FP32)
        net.add("Relu", "a", "b")
        net.values["b"] = type(net.values["b"])("b", None, DataType.FP32)
        net.add("Add", "b x", "y", 1, 8, 4, 4)
        first, *_ = predicted(net.model("y")).engine.graph["Layers"]
        assert "Dimensions" in first["Inputs"][0] and "Dimensions" not in first["Outputs"][0]  # [] were a scalar's

    def test_a_dimension_inside_that_stays_open(self) -> None:
        net = Net(x=(1, 8, 4, 4))
        net.add("NonZero", "x", "a", 4, -1, data_type=DataType.INT64)
        net.values["a"] = type(net.values["a"])("a", (4, None), DataType.INT64)
        net.add("Transpose", "a", "y")
        net.values["y"] = type(net.values["y"])("y", (None, 4), DataType.INT64)
        predicted(net.model("y"))

    def test_an_input_that_stays_open_is_an_error_with_the_words_to_write(self) -> None:
        net = Net(x=(1, 8, 4, 4))
        net.add("Relu", "x", "y", 1, 8, 4, 4)
        net.inputs[0] = type(net.inputs[0])("x", (None, 8, 4, 4), DataType.FP32)
        with pytest.raises(TrexError, match="open shape of x") as caught:
            predicted(net.model("y"))
        assert "shapes=x:" in caught.value.hint

    @pytest.mark.parametrize("shape", [(0, 8, 4, 4), (1, 0, 4, 4), (1, 8, 0, 0)])
    def test_dimensions_of_nothing(self, shape: tuple[int, ...]) -> None:
        net = Net(x=shape)
        net.stored("w", 8, 8, 1, 1)
        net.add("Conv", "x w", "c", *shape)
        net.add("Relu", "c", "r", *shape)
        net.add("Softmax", "r", "y", *shape)
        predicted(net.model("y"))

    def test_scalars(self) -> None:
        net = Net(x=())
        net.add("Sqrt", "x", "y")
        predicted(net.model("y"))

    def test_sizes_beyond_any_memory(self) -> None:
        net = Net(x=(1 << 20, 1 << 20))
        net.add("Relu", "x", "y", 1 << 20, 1 << 20)
        with pytest.raises(TrexError, match=r"one layer needs .* GiB of memory"):
            predicted(net.model("y"))

    def test_more_edges_than_can_be_drawn(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("trex.simulator.simulation.MOST_EDGES", 3)
        net = Net(x=(4, 8))
        net.add("Sum", "x x x x", "a", 4, 8)  # one tensor
        net.add("Sum", "x a", "y", 4, 8)
        predicted(net.model("y"))
        net.add("Sum", "x a", "z", 4, 8)
        with pytest.raises(TrexError, match="the operators read 5 tensors, and at most 3 are supported"):
            predicted(net.model("y", "z"))


class TestGraphs:
    def test_no_inputs(self) -> None:
        net = Net()
        net.add("RandomNormal", "", "a", 1, 8)
        net.add("Relu", "a", "y", 1, 8)
        predicted(net.model("y"))

    def test_nothing_to_compute(self) -> None:
        net = Net()
        net.stored("w", 8)
        net.add("Relu", "w", "y", 8)
        with pytest.raises(TrexError, match="computes nothing at run time"):
            simulate_model(net.model("y"), TARGET)

    def test_an_empty_model(self) -> None:
        with pytest.raises(TrexError, match="computes nothing at run time"):
            simulate_model(Model((), {}), TARGET)

    def test_an_output_that_is_an_input(self) -> None:
        net = Net(x=(1, 8))
        net.add("Relu", "x", "y", 1, 8)
        predicted(net.model("y", "x"))

    def test_outputs_that_nobody_reads(self) -> None:
        net = Net(x=(1, 8))
        net.add("Relu", "x", "y", 1, 8)
        net.add("Sigmoid", "x", "unread", 1, 8)
        built = predicted(net.model("y"))
        assert [step.origins for step in built.draft.steps] == [("Relu_0",)]

    def test_several_thousand_outputs(self) -> None:
        net = Net(x=(1, 8))
        names = [net.add("Relu", "x", f"y{index}", 1, 8, name=f"r{index}") for index in range(3000)]
        built = predicted(net.model(*names))
        assert len(built.engine.graph["Bindings"]) == 3001

    def test_names_that_repeat_and_names_that_are_empty(self) -> None:
        net = Net(x=(1, 8))
        net.add("Relu", "x", "a", 1, 8, name="same")
        net.add("Sigmoid", "a", "b", 1, 8, name="same")
        operators = [*net.operators, Operator(2, "", "Tanh", "", ("b",), ("y",), {})]
        net._value("y", (1, 8))
        built = predicted(Model(tuple(operators), net.values, tuple(net.inputs), (net.values["y"],)))
        assert len(built.engine.graph["Layers"]) >= 1

    def test_operators_in_a_circle_do_not_hang(self) -> None:
        net = Net(x=(1, 8))
        net.add("Add", "x b", "a", 1, 8)
        net.add("Relu", "a", "b", 1, 8)
        net.add("Sigmoid", "b", "y", 1, 8)
        predicted(net.model("y"))

    @pytest.mark.parametrize("odd", [{"strides": (1,)}, {"strides": (0, 0)}, {"dilations": (1,)}, {"pads": (1, 1)}])
    def test_windows_that_contradict_their_kernel(self, odd: dict[str, AttributeValue]) -> None:
        net = Net(x=(1, 8, 4, 4))
        more = {"kernel_shape": (3, 3), "auto_pad": "SAME_LOWER", "ceil_mode": float("nan"), **odd}
        net.add("MaxPool", "x", "y", 1, 8, 4, 4, attributes=more)
        (layer,) = predicted(net.model("y")).engine.graph["Layers"]
        assert layer["Stride"] == layer["PrePadding"] == [1, 1] and layer["PaddingMode"].endswith("DOWN")

    def test_control_flow_stays_closed(self) -> None:
        net = Net(x=(1, 8))
        net.add("If", "x", "a", 1, 8)
        net.add("Loop", "a", "b", 1, 8)
        net.add("Scan", "b", "y", 1, 8)
        built = predicted(net.model("y"))
        assert [step.kind for step in built.draft.steps] == [StepKind.OPAQUE] * 3
        assert all(word in message_of(built, "operators-not-known") for word in ("If (1)", "Loop (1)", "Scan (1)"))


class TestFiles:
    """Through the whole command, from a file."""

    @pytest.fixture(autouse=True)
    def onnx(self) -> Any:
        return pytest.importorskip("onnx")

    @pytest.fixture
    def process(self, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Done]:
        def run(model: Path, *words: str) -> Done:
            from trex.cli.main import main

            options = ("--backend", "simulated", "--device", "A100")
            code = main(["process", str(model), str(tmp_path / "out"), *words, *options])
            return Done(code, *capfd.readouterr())

        return run

    @pytest.mark.parametrize(
        "data", [b"", b"\x08", b"no model at all", b"\x08\x07\x12\x04trex\x3a\xff\xff\xff", bytes(5000)]
    )
    def test_what_is_no_model_leaves_nothing(self, process: Any, tmp_path: Path, data: bytes) -> None:
        file = tmp_path / "broken.onnx"
        file.write_bytes(data)
        done = process(file)
        assert done.code == 2 and "Traceback" not in done.err
        assert left(tmp_path / "out") == []

    def test_a_file_that_is_not_there(self, process: Any, tmp_path: Path) -> None:
        done = process(tmp_path / "absent.onnx")
        assert done.code == 2 and "absent.onnx" in done.err
        assert left(tmp_path / "out") == []

    def test_a_torn_model(self, process: Any, tmp_path: Path) -> None:
        from trex.examples.network import write_network

        whole = write_network("resnet18", tmp_path / "r.onnx").read_bytes()
        for share in (0.2, 0.7, 0.97):
            file = tmp_path / "torn.onnx"
            file.write_bytes(whole[: int(len(whole) * share)])
            done = process(file)
            assert done.code == 2, share
            assert left(tmp_path / "out") == []

    def test_dimensions_that_stay_open(self, process: Any, tmp_path: Path) -> None:
        from trex.examples.network import write_network

        file = write_network("resnet18", tmp_path / "r.onnx", None)
        done = process(file, "fp16", "-v")
        assert done.code == 0 and "dimensions that the model leaves open are taken as 1" in done.out
        assert process(file, "fp16", "shapes=input.1:4x3x224x224").code == 0
        assert load(tmp_path / "out").provenance is Provenance.SIMULATED

    @pytest.mark.parametrize("shapes", ["shapes=nothing:1x3x224x224", "shapes=input.1:1x3", "shapes=input.1:1x-3x2x2"])
    def test_shapes_that_do_not_fit(self, process: Any, tmp_path: Path, shapes: str) -> None:
        from trex.examples.network import write_network

        done = process(write_network("resnet18", tmp_path / "r.onnx", None), shapes)
        assert done.code == 2 and "Traceback" not in done.err
        assert left(tmp_path / "out") == []

    def test_weights_in_files_that_are_not_there_are_never_missed(self, tmp_path: Path, onnx: Any) -> None:
        """A hundred gigabytes of weights in another file: described, not read."""
        tensor = onnx.TensorProto(name="w", data_type=1, dims=[160_000, 160_000], data_location=1)
        for key, value in (("location", "absent.bin"), ("length", str(4 * 160_000**2))):
            tensor.external_data.add(key=key, value=value)
        built = simulate(str(save(tmp_path, onnx, "MatMul", ["x", "w"], (1, 160_000), (1, 160_000), [tensor])), TARGET)
        assert any(note.code == "model-external-data" for note in built.notes)
        assert built.inference.compute_ms > 10

    def test_a_loop_in_a_file(self, tmp_path: Path, onnx: Any) -> None:
        helper = onnx.helper
        value = helper.make_tensor_value_info
        body = helper.make_graph(
            [helper.make_node("Identity", ["go_on"], ["again"]), helper.make_node("Relu", ["a"], ["b"])],
            "body",
            [value("i", 7, []), value("go_on", 9, []), value("a", 1, [1, 8])],
            [value("again", 9, []), value("b", 1, [1, 8])],
        )
        graph = helper.make_graph(
            [helper.make_node("Loop", ["", "", "x"], ["y"], name="loop", body=body)],
            "g",
            [value("x", 1, [1, 8])],
            [value("y", 1, [1, 8])],
        )
        file = tmp_path / "loop.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), str(file))
        built = simulate(str(file), TARGET)
        assert [step.kind for step in built.draft.steps] == [StepKind.OPAQUE]

    def test_what_was_there_stays_when_a_later_model_is_broken(self, process: Any, tmp_path: Path) -> None:
        from trex.examples.network import write_network

        file = write_network("resnet18", tmp_path / "r.onnx")
        assert process(file, "fp16").code == 0
        before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir() if path.suffix == ".json"}
        file.write_bytes(b"broken")
        assert process(file, "fp16").code == 2
        after = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir() if path.suffix == ".json"}
        assert {name: after.get(name) for name in before if name != "manifest.json"} == {
            name: data for name, data in before.items() if name != "manifest.json"
        }


def left(folder: Path) -> list[str]:
    """Files of an engine that lie there; logs and the manifest report the failure."""
    if not folder.is_dir():
        return []
    return sorted(path.name for path in folder.iterdir() if path.suffix in (".engine", ".json", ".svg")
                  and path.name != "manifest.json")  # fmt: skip


def save(folder: Path, onnx: Any, type_: str, inputs: list[str], read: Any, written: Any, stored: list[Any]) -> Path:
    helper = onnx.helper
    graph = helper.make_graph(
        [helper.make_node(type_, inputs, ["y"], name="node")],
        "g",
        [helper.make_tensor_value_info("x", 1, read)],
        [helper.make_tensor_value_info("y", 1, written)],
        stored,
    )
    file = folder / "model.onnx"
    file.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    return file
