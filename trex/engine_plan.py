"""EnginePlan and load: an engine's files, held as one object.

Differs from NVIDIA's TREx: times join by (name, occurrence) and refuse another engine's profile; what is unknown is
NaN, never 0; Notes (``plan.notes``) say what was repaired or not understood; the typed layers behind ``layers`` are
``working_layers``.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trex import _reexported
from trex.activations import Activation
from trex.classic.files import if_present
from trex.classic.summary import classic_facts, sections_text
from trex.core.errors import TrexError
from trex.core.layer import Role
from trex.core.note import Note
from trex.core.provenance import DOUBT, STATEMENT
from trex.ingest.artifacts import Artifacts, read_artifacts, read_graph_or_text
from trex.ingest.files import EngineFiles, run_notes, stem_of
from trex.ingest.graph_json import engine_from_records
from trex.layer import Layer
from trex.plan.engine_plan import EnginePlan as _EnginePlan
from trex.plan.loading import EXAMPLE, find_plans, load_plan
from trex.plan.records import profile_records

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "EnginePlan",
    "TrexError",
    "load",
    "load_all",
    "load_example",
    "print_summary",
    "summary_dict",
]

PathLike = str | os.PathLike[str]


class EnginePlan(_EnginePlan):
    """An engine plan read from its JSON files (or logs), as users of TREx know it.

    graph_file: the exported layer information; also a list of raw layer records. profile_id: optimization profile.
    timing_file: the exported per-query times. onnx_file: the model the engine was built from. name: by default the
    graph file's name, where ``trex.load`` takes its stem. A metadata file that does not exist is a Note. Raises
    TrexError, naming file and place, for what cannot be read.

    ``layers``, ``all_layers`` and ``constants`` are lists of ``trex.Layer``, made on first use; like ``df`` they are
    free to be changed without changing any finding. ``working_layers`` and ``engine.layers`` are the typed layers
    behind them, each the ``fact`` of its ``trex.Layer``.
    """

    def __init__(
        self,
        graph_file: PathLike | list[dict[str, Any]],
        profiling_file: PathLike | None = None,
        profiling_metadata_file: PathLike | None = None,
        build_metadata_file: PathLike | None = None,
        name: str | None = None,
        profile_id: int | None = None,
        timing_file: PathLike | None = None,
        onnx_file: PathLike | None = None,
    ) -> None:
        if isinstance(graph_file, list):
            artifacts = Artifacts(engine_from_records(graph_file))
        else:
            graph = os.fspath(graph_file)
            notes: list[Note] = []
            files = EngineFiles(
                name=stem_of(graph),
                graph=graph,
                profile=_path(profiling_file),
                timing=_path(timing_file),
                profile_metadata=if_present(_path(profiling_metadata_file), notes),
                build_metadata=if_present(_path(build_metadata_file), notes),
            )
            notes += run_notes(files)
            artifacts = read_artifacts(files)
            artifacts = replace(artifacts, notes=(*artifacts.notes, *notes))
            name = name or Path(graph).name
        self._read(artifacts, name, profile_id, onnx_file)

    @classmethod
    def from_string(cls, log_string: str) -> EnginePlan:
        """The plan in a text: graph JSON, the inspector's one-line form, or a trtexec log that holds layers."""
        return cls.from_artifacts(Artifacts(read_graph_or_text(log_string.encode("utf-8", "replace"), "<string>")))

    @cached_property
    def layers(self) -> list[Layer]:
        """The layers that do work, in execution order: one row of ``df`` each, with folded NoOps."""
        return list(map(Layer.of, self.working_layers))

    @cached_property
    def all_layers(self) -> list[Layer]:
        """Every layer of the profile in execution order, including NoOps, Constants and synchronization."""
        return list(map(Layer.of, self.engine.layers))

    @cached_property
    def constants(self) -> list[Layer]:
        """The layers of ``all_layers`` that provide stored data."""
        return [layer for layer in self.all_layers if layer.role is Role.CONSTANT]

    def find(self, layer_name: str) -> Layer | None:
        """The first layer with this name, of ``layers`` or else of ``all_layers``; None if there is none."""

        def first_of(layers: list[Layer]) -> Layer | None:
            return next((layer for layer in layers if layer.name == layer_name), None)

        return first_of(self.layers) or first_of(self.all_layers)

    def get_bindings(self) -> tuple[list[Activation], list[Activation]]:
        """(inputs, outputs), in file order, without bindings that no layer mentions."""
        inputs, outputs = self.binding_tensors()
        return list(map(Activation.of, inputs)), list(map(Activation.of, outputs))

    def new_frame(self) -> pd.DataFrame:
        """A new DataFrame without your changes; ``attrs`` say if its times are predicted or in doubt."""
        from trex.perf.performance import Performance
        from trex.views.diagram.doubts import doubt_words, problems_of

        frame = super().new_frame()
        if problems := problems_of(self):
            statement = "; ".join([*filter(None, [frame.attrs.get(STATEMENT)]), *problems])
            frame.attrs |= {DOUBT: doubt_words(Performance(self)), STATEMENT: statement}
        return frame

    @property
    def _df(self) -> pd.DataFrame:
        """``df``, under the name by which old notebooks change or replace it."""
        return self.df

    @_df.setter
    def _df(self, frame: pd.DataFrame) -> None:
        self.df = frame

    @property
    def _raw_perf(self) -> list[dict[str, Any]] | None:
        """The profile's records as plain dicts, in the file's order; None without a profile."""
        return None if self.layer_times is None else profile_records(self.layer_times)

    def summary(self) -> None:
        """Prints the facts of the plan."""
        print_summary(self)

    def _repr_html_(self) -> str:
        """The card that a notebook shows: headline, diagnosis, where time goes, findings, what to call next."""
        from trex.export.plan_card import plan_card

        return plan_card(self)


def load(
    path: PathLike, name: str | None = None, profile_id: int | None = None, *, onnx: PathLike | None = None
) -> EnginePlan:
    """The engine at ``path``: any one of its files, a stem, a folder, a ``.tea`` archive, or ``example:NAME``.

    Siblings are found and paired by content. onnx: the engine's model; it becomes ``plan.model`` and provides the work
    of fused layers; needs the extra ``onnx``. Raises TrexError if there is no engine or more than one, and if the model
    cannot be read.
    """
    return load_plan(EnginePlan, path, name, profile_id, onnx_file=onnx)


def load_all(path: PathLike) -> list[EnginePlan]:
    """Every engine found at ``path``, in the order of their names."""
    return [EnginePlan.from_artifacts(read_artifacts(files)) for files in find_plans(path)]


def load_example(name: str) -> EnginePlan:
    """A bundled example engine by name; it is synthetic and says so. Raises TrexError listing the names."""
    return load(EXAMPLE + name)


def summary_dict(plan: _EnginePlan) -> dict[str, str]:
    """The facts of a plan as label → text: first TREx's, as it writes them, then those that only trex has.

    Inputs, Outputs, Average time (sum of the layers' times), Layers, Weights, Activations, GPU compute time …
    Problems: what speaks against these figures; left out without any.
    """
    from trex.views.engines.names import problems_in
    from trex.views.summary import engine_facts

    facts = classic_facts(plan)
    facts |= {fact.label: fact.text for fact in engine_facts(plan) if fact.label not in facts}
    problems = problems_in(plan)
    return facts | ({"Problems": "; ".join(problems)} if problems else {})


def print_summary(plan: _EnginePlan) -> None:
    """Prints TREx's sections (model, device, builder, performance), then what ``trex summary`` shows."""
    from trex.cli.console import write
    from trex.export.document import RenderStyle, render_document
    from trex.jupyter.show import line_width
    from trex.views.summary import summary_document

    write(sections_text(plan) + "\n")
    write(render_document(summary_document(plan), "text", RenderStyle(width=line_width())).decode("utf-8"))


def _path(path: PathLike | None) -> str | None:
    return None if path is None else os.fspath(path)


__getattr__ = _reexported(__name__)
