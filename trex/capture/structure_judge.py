"""Judge: networks built by TensorRT for RTX on this machine's CPU, and their kernels against the predicted ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from trex.capture.backend import TENSORRT_RTX
from trex.capture.options import CaptureOptions
from trex.capture.process import process
from trex.capture.tensorrt_api.errors import CollectorError
from trex.capture.tensorrt_api.library import RTX
from trex.capture.tensorrt_api.rtx import find_wheels
from trex.core.errors import TrexError
from trex.core.model import Model
from trex.core.whole_file import write_whole
from trex.ingest.graph_json import read_graph
from trex.ingest.onnx_model import read_model
from trex.simulator.structure import Structure, structure_of


def builder_name() -> str:
    """``TensorRT for RTX 1.7.1``. Raises TrexError if it is not installed."""
    try:
        return f"{RTX} {find_wheels().version}"
    except CollectorError as error:
        raise TrexError(error.message, error.hint) from None


def judge(
    networks: Iterable[tuple[str, str, Callable[[], bytes]]], folder: Path
) -> Iterator[tuple[str, Structure | str]]:
    """(name, figures, or why there are none) of each network (name, family, serialized model).

    folder: holds the models and engines; those built before are not built again.
    """
    for name, family, make in networks:
        path = folder / f"{name}.onnx"
        data = make()
        if not path.is_file():
            write_whole(path, data)
        elif path.read_bytes() != data:
            raise TrexError(f"there is another {path.name} in this folder", "name a new folder", str(path))
        yield name, _judged(name, family, path, folder / name)


def _judged(name: str, family: str, path: Path, out: Path) -> Structure | str:
    outcome = process(CaptureOptions(str(path), str(out), backend=TENSORRT_RTX))
    if outcome.failure is not None:
        return outcome.failure.message.removeprefix("the engine was not built: ")
    try:
        model: Model = read_model(str(path))
        graph = outcome.outputs.graph
        return structure_of(name, family, model, read_graph(graph.read_bytes(), str(graph)).layers)
    except TrexError as error:
        return f"not predicted: {error.message}"
