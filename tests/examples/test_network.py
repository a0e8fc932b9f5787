"""Example networks: complete and valid ONNX, of the published size, small on disk."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from trex.core.errors import TrexError
from trex.core.model import Model
from trex.core.registry import Registry
from trex.examples import network, networks
from trex.examples.net import NOT_WRITTEN
from trex.examples.network import NETWORKS, make_network, network_names, write_network
from trex.ingest.onnx_model import read_model
from trex.perf.work.operators import operator_count

onnx = pytest.importorskip("onnx")

ALL = tuple(network_names())
# GMACs for one image of 224×224, as computed from the shapes of the published architectures.
MACS = {
    "alexnet": 0.714,
    "bert-base": 11.174,
    "bert-large": 39.461,
    "efficientnet-b0": 0.3858,
    "mobilenet-v2": 0.3008,
    "resnet18": 1.814,
    "resnet50": 3.858,
    "resnet50-v1.5": 4.089,
    "vgg16": 15.47,
}
# Trained numbers in 1e6, with a bias for every folded batch normalization.
PARAMETERS = {
    "alexnet": 61.101,
    "bert-base": 109.482,
    "bert-large": 335.142,
    "efficientnet-b0": 5.268,
    "mobilenet-v2": 3.488,
    "resnet18": 11.685,
    "resnet50": 25.530,
    "vgg16": 138.358,
}


def written(name: str, folder: Path, batch: int | None = 1, **options: str | int) -> Path:
    """The model's file, next to an empty weights file that the checker requires."""
    (folder / NOT_WRITTEN).touch()
    return write_network(name, folder / f"{name}.onnx", batch, **options)


def macs(model: Model) -> float:
    works = [operator_count(operator, model) for operator in model.operators]
    unknown = [work.reason for work in works if work.macs is None]
    assert not unknown
    return sum(work.macs for work in works if work.macs)


def test_no_plug_is_broken() -> None:
    assert not NETWORKS.broken
    assert len(ALL) == len(set(ALL)) == sum(len(plug.value.variants) for plug in NETWORKS.values())


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("batch", (1, 32, None))
def test_every_network_is_valid_and_its_shapes_are_known(name: str, batch: int | None, tmp_path: Path) -> None:
    path = written(name, tmp_path, batch)
    assert path.stat().st_size < 2_000_000
    onnx.checker.check_model(str(path), full_check=True)
    network = onnx.load_model(str(path), load_external_data=False)
    inferred = onnx.shape_inference.infer_shapes(network, strict_mode=True, data_prop=True).graph
    types = {info.name: info.type.tensor_type for info in (*inferred.value_info, *inferred.output)}
    for output in (name for node in network.graph.node for name in node.output):
        assert types[output].HasField("shape"), output
        sizes = [dim.dim_value or dim.dim_param for dim in types[output].shape.dim]
        assert all(size == "batch" if isinstance(size, str) else size > 0 for size in sizes), (output, sizes)
        assert batch is None or "batch" not in sizes


@pytest.mark.parametrize("name", ALL)
def test_the_only_note_is_that_weights_are_external(name: str, tmp_path: Path) -> None:
    model = read_model(written(name, tmp_path, 2))
    assert {note.code for note in model.notes} <= {"model-external-data"}
    assert len({operator.name for operator in model.operators}) == len(model.operators)


@pytest.mark.parametrize("name", ALL)
def test_multiply_adds_are_those_of_the_architecture(name: str, tmp_path: Path) -> None:
    plain = name if name in MACS else next(known for known in NETWORKS if name.startswith(known))
    model = read_model(written(name, tmp_path, 4))
    gmacs = macs(model) / 4e9
    assert gmacs == pytest.approx(MACS.get(plain, gmacs), abs=5e-4)
    assert gmacs > 0.1


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_are_those_of_the_architecture(name: str, tmp_path: Path) -> None:
    model = read_model(written(name, tmp_path))
    assert sum(value.count or 0 for value in model.initializers if value.location) / 1e6 == pytest.approx(
        PARAMETERS[name], abs=5e-4
    )


def test_texts_have_the_length_that_is_asked_for(tmp_path: Path) -> None:
    model = read_model(written("bert-base", tmp_path, 2, length=384))
    assert {value.shape for value in model.inputs} == {(2, 384)}
    with pytest.raises(TrexError, match="512 positions"):
        make_network("bert-large", length=513)
    with pytest.raises(TrexError, match="length of 8"):
        make_network("resnet18", length=8)


def test_random_weights_are_stored_and_the_same_every_time(tmp_path: Path) -> None:
    first = make_network("resnet18", weights="random")
    assert first == make_network("resnet18", weights="random")
    onnx.checker.check_model(first, full_check=True)
    data = onnx.numpy_helper.to_array(first.graph.initializer[2])
    assert data.shape == (64, 64, 3, 3)
    assert data.std() == pytest.approx((2 / 576) ** 0.5, rel=0.02)


def test_names_are_numbers_or_paths() -> None:
    assert make_network("resnet18").graph.node[3].name == "Conv_3"
    assert make_network("resnet18", names="paths").graph.node[3].name == "/layer1/layer1.0/conv1/Conv"


PLUG = '''
"""Tiny: one activation."""

from trex.examples.net import Net
from trex.examples.network import Network, NetworkOptions


def _make(options: NetworkOptions):
    net = Net("tiny", weights=options.weights)
    shape = (options.batch, 4)
    net.output("y", net.node("Relu", net.input("x", shape)), shape)
    return net.model(opset=17, ir_version=8)


NETWORK = Network(_make)
'''


def test_a_file_more_is_a_network_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny.py").write_text(PLUG, encoding="utf-8")
    monkeypatch.setattr(networks, "__path__", [*networks.__path__, str(tmp_path)])
    monkeypatch.setattr(network, "NETWORKS", Registry(networks.__name__, "NETWORK"))
    assert network_names()["tiny"] == "one activation."
    assert make_network("tiny", None).graph.node[0].op_type == "Relu"


def test_bad_options_are_errors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(TrexError, match="no network is called 'resnet18-qta'") as error:
        make_network("resnet18-qta")
    assert "did you mean resnet18-qat" in error.value.hint
    with pytest.raises(TrexError, match="no network is called 'resnet18-'"):
        make_network("resnet18-")
    with pytest.raises(TrexError, match="one kind of names"):
        make_network("resnet50", names="paths")
    with pytest.raises(TrexError, match="weights cannot be 'all'"):
        make_network("resnet18", weights="all")
    with pytest.raises(TrexError, match="names cannot be 'short'"):
        make_network("resnet18", names="short")
    for batch in (-1, 2**31):
        with pytest.raises(TrexError, match=f"batch cannot be {batch}"):
            make_network("resnet18", batch=batch)
    with pytest.raises(TrexError, match="folder does not exist"):
        write_network("resnet18", tmp_path / "no" / "x.onnx")
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(TrexError, match="'onnx', which is not installed"):
        make_network("resnet18")
