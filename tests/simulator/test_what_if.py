"""What-if: changes of a model, other GPUs and batches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.simulator.models import Net, small_cnn, target
from tests.steps import steps
from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.core.model import Model
from trex.examples.network import write_network
from trex.ingest.onnx_model import read_model
from trex.perf.recognize import find_device
from trex.simulator.builder import build
from trex.simulator.draft import StepKind
from trex.simulator.model_edit import EDITS, edited
from trex.simulator.what_if import UNCHANGED, what_if_results, what_if_rows

INT8 = target("A100", DataType.INT8, DataType.FP16)


@pytest.fixture(scope="module")
def qat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("onnx")
    return write_network("resnet18-qat", tmp_path_factory.mktemp("model") / "qat.onnx", batch=8)


def with_edit(model: Model, *names: str) -> Model:
    return edited(model, [EDITS.load(name) for name in names])


def shape_of_build(model: Model) -> dict[StepKind, int]:
    kinds: dict[StepKind, int] = {}
    for step in build(model, INT8).steps:
        kinds[step.kind] = kinds.get(step.kind, 0) + 1
    return kinds


class TestEdits:
    def test_quantized_residuals_build_like_a_model_that_was_trained_with_them(self, qat: Path, tmp_path: Path) -> None:
        trained = read_model(str(write_network("resnet18-qat-residual", tmp_path / "r.onnx", batch=8)))
        tried = with_edit(read_model(str(qat)), "quantize-residuals")
        assert shape_of_build(tried) == shape_of_build(trained)

    def test_quantized_pooling_does_too(self, qat: Path, tmp_path: Path) -> None:
        trained = read_model(str(write_network("resnet18-qat-residual-qgap", tmp_path / "g.onnx", batch=8)))
        tried = with_edit(read_model(str(qat)), "quantize-residuals", "quantize-pooling")
        assert shape_of_build(tried) == shape_of_build(trained)

    def test_quantize_gives_convolutions_and_products_quantizers(self) -> None:
        model = with_edit(small_cnn(), "quantize")
        types = [operator.type for operator in model.operators]
        assert types.count("QuantizeLinear") == types.count("DequantizeLinear") == 6  # three inputs, three weights
        convolutions = [step for step in build(model, INT8).steps if step.kind is StepKind.CONVOLUTION]
        assert all(step.precision is DataType.INT8 for step in convolutions)

    def test_added_values_have_names_of_their_own(self) -> None:
        """ONNX Runtime's quantizer calls its values so, too."""
        builds = []
        for first, second in (("a", "b"), ("x_quantized", "w_scale")):
            net = Net(x=(1, 8, 8, 8))
            net.stored("w", 8, 8, 1, 1)
            net.add("Conv", "x w", first, 1, 8, 8, 8, attributes={"kernel_shape": (1, 1)})
            net.add("Relu", first, second, 1, 8, 8, 8)
            net.add("Conv", f"{second} w", "y", 1, 8, 8, 8, attributes={"kernel_shape": (1, 1)})
            tried = with_edit(net.model("y"), "quantize")
            written = [name for operator in tried.operators for name in operator.outputs]
            assert len(set(written)) == len(written) and not any(tried.values[name].is_stored for name in written)
            builds.append(shape_of_build(tried))
        assert builds[0] == builds[1]

    def test_strip_undoes_quantize(self) -> None:
        plain = small_cnn()
        stripped = with_edit(plain, "quantize", "strip-quantizers")
        assert [item.type for item in stripped.operators] == [item.type for item in plain.operators]
        assert shape_of_build(stripped) == shape_of_build(plain)

    @pytest.mark.parametrize("name", EDITS.names)
    def test_a_model_without_anything_to_change_stays(self, name: str) -> None:
        net = Net(x=(1, 4))
        net.add("Relu", "x", "y", 1, 4)
        model = net.model("y")
        assert with_edit(model, name).operators == model.operators

    @pytest.mark.parametrize("name", EDITS.names)
    def test_steps_grow_with_the_model(self, name: str) -> None:
        """Convolutions of one tensor, each added to the sum of those before it, or alone."""

        def row(count: int, is_added: bool) -> Model:
            net = Net(x=(1, 8, 4, 4))
            for index in range(count):
                net.stored("w", 8, 8, 1, 1)
                net.add("Conv", "x w", f"c{index}", 1, 8, 4, 4)
                if not is_added:
                    continue
                net.add("Add", f"c{index} {f'a{index - 1}' if index else 'x'}", f"a{index}", 1, 8, 4, 4)
                net.add("GlobalAveragePool", f"a{index}", f"y{index}", 1, 8, 1, 1)
            return net.model(f"{'a' if is_added else 'c'}{count - 1}")

        for is_added in (True, False):
            short, long = row(100, is_added), row(300, is_added)
            assert steps(lambda: with_edit(long, name)) < 3.5 * steps(lambda: with_edit(short, name))  # noqa: B023

    @pytest.mark.parametrize("name", EDITS.names)
    def test_operators_stay_in_an_order_in_which_they_run(self, name: str) -> None:
        model = with_edit(small_cnn(), name)
        assert [operator.index for operator in model.operators] == list(range(len(model.operators)))
        known = {value.name for value in (*model.inputs, *model.initializers)}
        for operator in model.operators:
            assert known >= set(operator.reads), operator.name
            known.update(operator.outputs)


class TestOutcomes:
    def test_one_for_each_wish(self, qat: Path) -> None:
        devices = [find_device("A100"), find_device("L4")]
        result = list(what_if_results(str(qat), INT8, devices, [1, 4], [EDITS.load("quantize-residuals")]))
        assert [(item.device.name[:9], item.batch, item.model == UNCHANGED) for item in result] == [
            (name, batch, plain) for name in ("NVIDIA A1", "NVIDIA L4") for batch in (1, 4) for plain in (True, False)
        ]
        rows = what_if_rows(result)
        assert [row["speedup_from"] is None for row in rows] == [True, False] * 4
        for before, after in zip(rows[::2], rows[1::2], strict=True):
            ends = before["from_ms"] / after["to_ms"], before["to_ms"] / after["from_ms"]
            assert (after["speedup_from"], after["speedup_to"]) == pytest.approx(ends)
            assert after["speedup_from"] < after["speedup"] < after["speedup_to"]
        again = what_if_rows([result[0], replace(result[0], model="changed in nothing")])[1]
        assert (again["speedup_from"], again["speedup"], again["speedup_to"]) == (1.0, 1.0, 1.0)
        plain, changed = result[2].simulation, result[3].simulation
        assert plain is not None
        assert changed is not None
        assert changed.inference.compute_ms < plain.inference.compute_ms
        assert plain.inference.low_ms < plain.inference.compute_ms < plain.inference.high_ms

    def test_what_is_added_and_what_is_removed_are_both_changes(self, qat: Path) -> None:
        edits = [EDITS.load(name) for name in ("strip-quantizers", "quantize")]
        removed, both = (
            list(what_if_results(str(qat), INT8, [find_device("A100")], (None,), edits[:n]))[1].changes for n in (1, 2)
        )
        assert removed < both

    def test_what_cannot_be_predicted_is_an_outcome_with_a_reason(self, qat: Path) -> None:
        unknown = replace(find_device("A100"), bandwidth_gb_per_s=None)
        (result,) = what_if_results(str(qat), INT8, [unknown])
        assert result.simulation is None
        assert "memory bandwidth" in result.reason
        assert result.throughput is None

    def test_a_batch_needs_a_dimension(self, tmp_path: Path) -> None:
        onnx = pytest.importorskip("onnx")
        scalar = onnx.helper.make_tensor_value_info("x", 1, [])
        result = onnx.helper.make_tensor_value_info("y", 1, [])
        graph = onnx.helper.make_graph([onnx.helper.make_node("Relu", ["x"], ["y"])], "g", [scalar], [result])
        path = tmp_path / "scalar.onnx"
        onnx.save(onnx.helper.make_model(graph), path)
        with pytest.raises(TrexError, match="no batch dimension"):
            list(what_if_results(str(path), INT8, [find_device("A100")], [4]))


@pytest.mark.parametrize(
    ("device", "batch", "reason"),
    [
        ("A100", 10**6, "GiB of memory, the GPU has 80"),
        ("Orin NX 16GB", 10**5, "GiB of memory, the GPU has 16"),
        ("B200", 10**12, "GiB of memory, no GPU has more than 300"),
        ("A100", 2**62, "the shape 4611686018427387904x3x224x224 of input.1 is too large"),
    ],
)
def test_what_fits_into_no_memory_has_no_prediction(qat: Path, device: str, batch: int, reason: str) -> None:
    (outcome,) = what_if_results(str(qat), INT8, [find_device(device)], [batch])
    assert outcome.simulation is None and reason in outcome.reason
