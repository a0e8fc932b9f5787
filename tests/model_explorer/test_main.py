"""Model Explorer's extensions, run by its own extension manager; what they are made of, also without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trex.core.errors import TrexError
from trex.examples import folder
from trex.model_explorer.__main__ import main
from trex.model_explorer.conversion import CHANGE, DATA, FINDINGS, LATENCY, PRECISION, graphs_of, load, node_data
from trex.model_explorer.main import ADAPTER, EXTENSIONS

INT8, RESIDUAL = (str(folder(name)) for name in ("resnet18-int8", "resnet18-int8-residual"))
ABSENT = "Model Explorer is absent: pip install -e '.[model-explorer]' (130 MB)"


def test_node_data_is_about_nodes_of_the_graph() -> None:
    plan, base = load(RESIDUAL), load(INT8)
    (graph,) = graphs_of(plan)
    nodes = {node["id"]: node for node in graph["nodes"]}
    values = {}
    for name in DATA:
        graph_id, data = node_data(plan, name, base)
        assert graph_id == graph["id"] and set(data["results"]) <= set(nodes)
        values[name] = {key: result["value"] for key, result in data["results"].items()}
    assert DATA[-2:] == (LATENCY, CHANGE)  # Model Explorer colors by the last one
    assert len(values[LATENCY]) == len(plan.working_layers)
    assert sum(values[LATENCY].values()) == pytest.approx(sum(plan.df["latency.avg_time"]))
    assert {"INT8", "FP32"} <= set(values[PRECISION].values())
    assert {"no finding", "note, 1 % of time and more"} == set(values[FINDINGS].values())
    assert "faster" in values[CHANGE].values()


def test_changes_need_another_engine() -> None:
    with pytest.raises(TrexError):
        node_data(load(INT8), CHANGE)


@pytest.fixture(scope="module")
def manager() -> Any:
    extension_manager = pytest.importorskip("model_explorer.extension_manager", reason=ABSENT)
    manager = extension_manager.ExtensionManager(["trex.model_explorer"])
    manager.load_extensions()
    return manager


def asked(manager: Any, extension: str, command: str, path: str, **more: Any) -> Any:
    words = {"cmdId": command, "extensionId": extension, "modelPath": path, "deleteAfterConversion": False}
    return manager.run_cmd({**words, "settings": {}, "graphId": "", "configValues": {}, **more})


def test_model_explorer_finds_the_extensions(manager: Any) -> None:
    ours = [item for item in manager.get_extensions_metadata() if item["id"].startswith(ADAPTER)]
    assert [item["id"] for item in ours] == [ADAPTER, *(f"{ADAPTER}-{name}" for name in DATA)]
    assert "tea" in ours[0]["fileExts"]


def test_model_explorer_opens_an_engine_with_its_data(manager: Any) -> None:
    graph_file = next(Path(RESIDUAL).glob("*.graph.json"))
    (graph,) = asked(manager, ADAPTER, "convert", str(graph_file))["graphs"]
    assert "not measured" in graph["id"] and len(graph["nodes"]) > 40
    for name in DATA:
        answer = asked(manager, f"{ADAPTER}-{name}", "run", str(graph_file), configValues={"base": INT8})
        assert not answer["error"] and answer["result"]["results"].keys() <= {node["id"] for node in graph["nodes"]}
    editors = asked(manager, f"{ADAPTER}-{CHANGE}", "get_config_editors", "")["configEditors"]
    assert [editor["id"] for editor in editors] == ["base"]
    assert "try:" in asked(manager, f"{ADAPTER}-{CHANGE}", "run", str(graph_file))["error"]


def test_a_folder_is_opened_with_all_its_data(manager: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from model_explorer import server

    started: list[dict[str, Any]] = []
    monkeypatch.setattr(server, "start", lambda **words: started.append(words))
    assert main([RESIDUAL, "--base", INT8, "--no-browser"]) == 0
    (words,) = started
    assert words["extensions"] == ["trex.model_explorer"] and words["no_open_in_browser"]
    assert words["config"].model_sources[0]["url"].endswith(".graph.json")
    assert [source.split("/")[2] for source in words["config"].node_data_sources] == list(DATA)


def test_mistakes_have_a_next_step(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert ("no file in this folder describes an engine" if EXTENSIONS else "[model-explorer]") in said
