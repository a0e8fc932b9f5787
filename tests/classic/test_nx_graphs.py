"""DOT documents as networkx graphs, of every engine: nothing is lost, parts are what our own selection finds."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

import trex
from tests.dot_parser import parse_dot, shown
from tests.simulated_examples import load_simulated
from trex.classic import nx_graphs
from trex.core.errors import TrexError
from trex.export.dot_pictures import has_graphviz
from trex.views.diagram.drawn_graph import drawn_graph
from trex.views.diagram.style import DiagramStyle


def dot_file(plan: trex.EnginePlan, folder: Path) -> str:
    return trex.to_dot(plan, trex.layer_type_formatter).save(str(folder / "x.dot"))


@pytest.fixture
def libraries() -> None:
    for name in ("networkx", "pygraphviz"):
        pytest.importorskip(name, reason=f"{name} is absent: pip install {name}")


@pytest.fixture
def read(libraries: None, tmp_path: Path) -> Any:
    return nx_graphs.nx_from_dot(dot_file(load_simulated("resnet18-int8"), tmp_path))


def test_every_engine_and_its_parts(libraries: None, address: str, tmp_path: Path) -> None:
    plan = trex.load(address)
    file = dot_file(plan, tmp_path)
    read, dot = nx_graphs.nx_from_dot(file), parse_dot(Path(file).read_text("utf-8"))
    assert set(read) == set(dot.nodes) and sorted(read.edges()) == sorted(edge[:2] for edge in dot.edges)
    for name, look in dot.nodes.items():
        if name != "legend":
            assert read.nodes[name].get("label", "") == shown(look["label"])
    graph = drawn_graph(plan, DiagramStyle(fold=False, fold_from=0))
    for node in graph.layer_nodes[:: max(1, len(graph.layer_nodes) // 5)]:
        ends = [end for edges in (graph.edges_from, graph.edges_into) for edge in edges[node.id]
                for end in (edge.source, edge.target)]  # fmt: skip
        part = nx_graphs.create_directed_subgraph(read, f"n{node.id}", 1)
        assert set(part) == {f"n{end}" for end in (node.id, *ends)}
        assert list(part) == [other for other in read if other in part]


def test_nodes_by_text_and_by_name(read: Any) -> None:
    reformats = nx_graphs.query_layers(read, "^Reformat")
    assert len(reformats) == 12 and all(read.nodes[node]["label"].startswith("Reformat") for node in reformats)
    assert nx_graphs.query_layers(read, "nothing is called this") == []
    center = nx_graphs.create_directed_subgraph(read, "MaxPool_12", 0)
    assert [look["label"].split()[0] for _, look in center.nodes(data=True)] == ["Pooling"]
    assert set(nx_graphs.create_directed_subgraph(read, "MaxPool_12", 100)) == set(read) - {"legend"}
    with pytest.raises(TrexError, match=r"0 nodes .* 'MaxPool'"):
        nx_graphs.create_directed_subgraph(read, "MaxPool", 1)
    with pytest.raises(TrexError, match="regular expression"):
        nx_graphs.query_layers(read, "(")


@pytest.mark.skipif(not has_graphviz(), reason="Graphviz is absent: pip install pygraphviz")
def test_pictures(read: Any, tmp_path: Path) -> None:
    path = nx_graphs.nx_to_svg(nx_graphs.create_directed_subgraph(read, "n1", 1), tmp_path / "part.svg")
    words = Path(path).read_text("utf-8")
    assert "QuantizeLinear_2" in words and "MaxPool_12" in words and "\\n" not in words
    assert "Layers by type" in Path(nx_graphs.nx_to_svg(read, tmp_path / "all.svg")).read_text("utf-8")
    path = nx_graphs.convert_dot_to_svg(tmp_path / "x.dot")
    assert path == str(tmp_path / "x.dot.svg") and "Layers by type" in Path(path).read_text("utf-8")


def test_unusable_files(libraries: None, tmp_path: Path) -> None:
    (tmp_path / "x.dot").write_text("no graph")
    with pytest.raises(TrexError, match="no DOT document"):
        nx_graphs.nx_from_dot(tmp_path / "x.dot")
    for use in (nx_graphs.nx_from_dot, nx_graphs.convert_dot_to_svg):
        with pytest.raises(TrexError, match="no such file"):
            use(tmp_path / "y.dot")


@pytest.mark.parametrize(("name", "words"), [("networkx", "pip install networkx"), ("pygraphviz", r"\[graphviz\]")])
def test_an_absent_library_is_named(name: str, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = builtins.__import__

    def without(module: str, *rest: Any, **options: Any) -> Any:
        if module == name:
            raise ModuleNotFoundError(module)
        return real(module, *rest, **options)

    if name != "networkx":
        pytest.importorskip("networkx", reason="networkx is absent: pip install networkx")
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(TrexError, match=words):
        nx_graphs.nx_from_dot(tmp_path / "x.dot")
