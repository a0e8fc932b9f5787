"""Model Explorer's extensions: an adapter for engines, and providers of node data; found by ``--extensions``."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar

from trex.core.errors import TrexError
from trex.model_explorer.conversion import CHANGE, FINDINGS, LATENCY, PRECISION, graphs_of, load, node_data

ADAPTER = "trex"
ENDINGS = ("json", "tea", "engine", "plan", "trt")
_BASE = "base"
_PROVIDERS = {
    PRECISION: ("Precision", "The precision that each layer computes in", "memory"),
    FINDINGS: ("Findings of trex lint", "Layers that a finding is about, by its severity", "lightbulb"),
    LATENCY: ("Layer times", "Average time of each layer, in milliseconds", "timer"),
    CHANGE: ("Changes from another engine", "Slower, faster, new, gone or unchanged layers", "compare_arrows"),
}


def define_extensions() -> tuple[type, ...]:
    """Classes that Model Explorer registers as they are made. Raises ImportError where it is not installed."""
    from dacite import Config, from_dict
    from model_explorer import (
        Adapter,
        AdapterMetadata,
        GetConfigEditorsResult,
        NodeDataProvider,
        NodeDataProviderFilter,
        NodeDataProviderMetadata,
        NodeDataProviderResult,
    )
    from model_explorer.config_editor import TextInputConfigEditor
    from model_explorer.graph_builder import Graph
    from model_explorer.node_data_builder import GraphNodeData

    words = Config(check_types=False)  # values may be words, as its own viewer shows them

    class TrexAdapter(Adapter):  # type: ignore[misc]
        """An engine's files → its graph; siblings of the file are found as ``trex summary`` finds them."""

        metadata = AdapterMetadata(
            id=ADAPTER,
            name="TensorRT engine (trex)",
            description="Layers, tensors and times of a TensorRT engine, in boxes of the model's modules",
            fileExts=list(ENDINGS),
        )

        def convert(self, model_path: str, settings: dict[str, Any]) -> dict[str, list[Any]]:
            return {"graphs": [from_dict(Graph, graph) for graph in graphs_of(load(model_path))]}

    class TrexNodeData(NodeDataProvider):  # type: ignore[misc]
        """Times, precisions, findings and changes of an engine's layers."""

        metadata: ClassVar[Any] = [
            NodeDataProviderMetadata(
                id=f"{ADAPTER}-{name}",
                name=title,
                description=description,
                icon=icon,
                filter=NodeDataProviderFilter(adapterIds=[ADAPTER]),
            )
            for name, (title, description, icon) in _PROVIDERS.items()
        ]

        def get_config_editors(self, provider_id: str) -> Any:
            editor = TextInputConfigEditor(
                id=_BASE,
                label="Base engine",
                description="Folder or file of the engine to compare with, on this machine",
                required=True,
            )
            return GetConfigEditorsResult(configEditors=[editor] if provider_id == f"{ADAPTER}-{CHANGE}" else [])

        def run(
            self, provider_id: str, model_path: str, graph_id: str, config_values: dict[str, Any], graph: Any
        ) -> Any:
            name = provider_id.removeprefix(f"{ADAPTER}-")
            try:
                base = load(str(config_values.get(_BASE) or "")) if name == CHANGE else None
                _, data = node_data(load(model_path), name, base)
            except TrexError as error:
                return NodeDataProviderResult(error=str(error))
            return NodeDataProviderResult(result=from_dict(GraphNodeData, data, words))

    return TrexAdapter, TrexNodeData


EXTENSIONS: tuple[type, ...] = ()
with suppress(ImportError):
    EXTENSIONS = define_extensions()
