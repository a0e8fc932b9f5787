"""LogRun: what one run of trtexec, or one engine of a Python log, told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.timings import LayerTimes
from trex.ingest.logs.log_sections import LogBinding


@dataclass(frozen=True, slots=True)
class LogRun:
    """One run of trtexec, or one engine of a Python log.

    passed: True or False by the closing banner, None when there is none (trust the exit status where you have it).
    raw_layers, bindings: the layer information (``--dumpLayerInfo`` or the Python inspector's text) such that
    ``{"Layers": raw_layers, "Bindings": bindings}`` is what the JSON file of the engine holds; raw_layers is None
    without it. Without a list of bindings in the log, ``bindings`` are the names of ``io_tensors``; without those, the
    inputs and outputs of the network that the ONNX importer tells of.
    layer_rows: records of ``Engine Layer Information:`` (verbose build logs), see ``engine_layer_rows``.
    io_tensors: inputs and outputs as they were created for inference. milestones: ``engine_built_s``,
    ``engine_size_mib``, ``queries`` … as far as printed. first_line: where the run begins.
    notes: about the layers only; those about the rest are in ``metadata`` and ``layer_times``.
    """

    metadata: Metadata
    passed: bool | None = None
    layer_times: LayerTimes | None = None
    raw_layers: list[dict[str, Any] | str] | None = None
    layer_rows: list[dict[str, Any]] | None = None
    bindings: list[str] = field(default_factory=list)
    io_tensors: tuple[LogBinding, ...] = ()
    first_line: int = 1
    notes: tuple[Note, ...] = ()

    @property
    def milestones(self) -> Mapping[str, float]:
        return self.metadata.milestones

    @property
    def tensorrt_version(self) -> str:
        return self.metadata.tensorrt_version

    @property
    def command_line(self) -> str:
        return self.metadata.command_line

    @property
    def all_notes(self) -> tuple[Note, ...]:
        times = self.layer_times.notes if self.layer_times else ()
        return (*self.metadata.notes, *times, *self.notes)
