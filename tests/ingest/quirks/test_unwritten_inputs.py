"""Tensors that Myelin reads and no layer writes are weights."""

from __future__ import annotations

from pathlib import Path

from tests.raw_records import chain, codes, layer, plan_of, tensor
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": [layer("g_myl0_1", "gemm", ["x", "w"], ["y"])], "Bindings": ["x", "y"]}])


def half(name: str, *dims: int) -> dict:
    return tensor(name, dims, "Half")


def engine(*layers: dict, bindings: tuple[str, ...] | None = ("x", "y")):
    return engine_from_documents([{"Layers": list(layers)} | ({"Bindings": list(bindings)} if bindings else {})])


GEMM = layer("g_myl0_0", "gemm", [half("x", 4, 8), half("w", 8, 16), half("b", 16)], [half("y", 4, 16)])


def test_they_become_weights_with_their_names() -> None:
    built = engine(GEMM)
    (gemm,) = built.layers
    assert [t.name for t in gemm.inputs] == ["x"]
    assert [(w.kind, w.name, w.count, w.size_bytes) for w in gemm.weights] == [
        ("input", "w", 128, 256),
        ("input", "b", 16, 32),
    ]
    assert gemm.weights_size_bytes == 288
    assert "unwritten-inputs-are-weights" in codes(built)
    assert [record["Name"] for record in gemm.raw["Inputs"]] == ["x", "w", "b"]


def test_tensorrts_own_layers_are_left_alone() -> None:
    built = engine(layer("c", "CaskConvolution", ["x", "forgotten"], ["y"], ParameterType="Convolution"))
    assert [t.name for t in built.layers[0].inputs] == ["x", "forgotten"]


def test_a_tensor_written_later_is_no_weight() -> None:
    """A scratch name may be read before it is written: its value is that of the run before."""
    layers = (layer("a_myl0_0", "kgen", ["x", "s"], ["t"]), layer("b_myl0_1", "kgen", ["t"], ["s", "y"]))
    assert engine(*layers).layers[0].weights == ()


def test_cache_handles_are_no_data() -> None:
    built = engine(layer("k_myl0_0", "kgen", ["x", "l2_cache_policy_inputs_0"], ["y"]))
    assert built.layers[0].weights == ()


def test_dynamic_tensors_are_no_weights() -> None:
    built = engine(layer("k_myl0_0", "kgen", ["x", half("late", -1, 8)], ["y"]))
    assert built.layers[0].weights == ()
    assert [t.name for t in built.layers[0].inputs] == ["x", "late"]


def test_without_bindings_only_names_of_constants_count() -> None:
    record = layer("g_myl0_0", "gemm", [half("x", 4, 8), half("__mye7_dconst", 8, 16)], [half("y", 4, 16)])
    for bindings in (None, ("x", "y")):
        gemm = engine(record, bindings=bindings).layers[0]
        assert [w.name for w in gemm.weights] == ["__mye7_dconst"]
    assert engine(GEMM, bindings=None).layers[0].weights == ()


def test_one_read_twice_by_a_layer_counts_once() -> None:
    gemm = engine(layer("g_myl0_0", "gemm", [half("x", 4, 8), half("w", 8, 8), half("w", 8, 8)], ["y"])).layers[0]
    assert gemm.weights_size_bytes == 128


def test_one_read_by_two_layers_of_a_region_counts_once(tmp_path: Path) -> None:
    def read(region: int, number: int, source: str, output: str) -> dict:
        name = f"g_myl{region}_{number}"
        return layer(name, "gemm", [half(source, 8, 8), half("__mye1_dconst", 8, 8)], [half(output, 8, 8)])

    same = plan_of(tmp_path, [read(0, 0, "x", "t"), read(0, 1, "t", "y")])
    assert same.total_weights_size == 128
    assert same.df["weights_size"].tolist() == [128, 128]
    apart = plan_of(tmp_path, [read(0, 0, "x", "t"), read(1, 0, "t", "y")])
    assert apart.total_weights_size == 256


def test_inputs_of_the_engine_are_activations(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, [GEMM], ("x", "w", "b", "y"))
    assert plan.total_weights_size == 0
    assert plan.total_act_size == 64 + 256 + 32 + 128


def test_engines_without_myelin_are_left_alone() -> None:
    assert "unwritten-inputs-are-weights" not in codes(engine(*chain("a", "b")))
