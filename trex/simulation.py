"""Simulation: engines and times that are predicted from an ONNX model, without a GPU; and what-ifs.

NVIDIA's TREx has no such module. Predictions are marked: ``plan.provenance``, and in every view. docs/simulated.md
and ``trex validate`` show how accurate they are.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trex.capture.backend import AUTO, SIMULATED, available
from trex.capture.child import pass_signal_on
from trex.capture.options import CaptureOptions
from trex.core.errors import TrexError
from trex.core.provenance import Provenance
from trex.core.scratch_folder import scratch_folder
from trex.engine_plan import EnginePlan, load
from trex.examples.network import write_network
from trex.export.document_view import DocumentView
from trex.views.document import Document
from trex.views.predictions import predictions_document

if TYPE_CHECKING:
    import pandas as pd

    from trex.simulator.what_if import WhatIfResult

__all__ = ["WhatIf", "available_backend", "expected_ms", "process", "simulate", "what_if", "write_network"]

PathLike = str | os.PathLike[str]


@dataclass(frozen=True, repr=False)
class WhatIf(DocumentView):
    """outcomes: one for each GPU, batch and model (as it is, then changed), each a whole predicted build or the reason
    why there is none. title: the model.
    """

    outcomes: tuple[WhatIfResult, ...]
    title: str = "What if"

    @cached_property
    def df(self) -> pd.DataFrame:
        """One row per outcome: device, batch, model, changes, layers, compute_ms, from_ms, to_ms (the times between
        which it is expected), unjudged (share of the time in work that no measured engine has judged), samples_per_s,
        speedup over the unchanged model, speedup_from, speedup_to, reason.
        """
        import pandas as pd

        from trex.simulator.what_if import what_if_rows

        result: pd.DataFrame = pd.DataFrame(what_if_rows(self.outcomes))
        return result

    @property
    def document(self) -> Document:
        """What ``trex whatif`` shows."""
        from trex.simulator.what_if import what_if_notes, what_if_rows

        notes = tuple(what_if_notes(self.outcomes))
        return predictions_document(self.title, Provenance.SIMULATED.statement, what_if_rows(self.outcomes), notes)

    def __repr__(self) -> str:
        return str(self)


def available_backend() -> str:
    """What builds engines here: ``trtexec``, ``tensorrt`` (its Python package), or ``simulated`` without either."""
    return available(CaptureOptions("", "")) or SIMULATED


def process(model: PathLike, outdir: PathLike, *words: str, backend: str = AUTO, **options: Any) -> EnginePlan:
    """Builds and profiles an engine as ``trex process`` does, leaves its files in ``outdir``, and reads them.

    words: options as for trtexec (``"int8", "fp16", "shapes=x:1x3x224x224"``). backend: ``auto`` takes the TensorRT of
    this machine and heeds no ``device``; where there is none, the engine is simulated for the ``device`` that is named.
    options: those of ``trex process``, by the names of its flags.
    Raises TrexError for all that ends a run early. A signal that stops it is delivered when its files are set aside.
    """
    from trex.capture.process import process as run

    if backend == AUTO:
        available = available_backend()
        backend = available if available != SIMULATED or options.get("device") else AUTO
        if backend != SIMULATED:
            options.pop("device", "")
    done = run(CaptureOptions(os.fspath(model), os.fspath(outdir), words, backend=backend, **options))
    if done.failure is not None:
        raise done.failure
    pass_signal_on(done.stopped_by)
    if done.stopped_by:  # and the handler of the signal let it pass
        raise TrexError(f"the run was stopped by {done.stopped_by}", "", str(done.outputs.folder))
    return load(done.outputs.graph, Path(model).stem, onnx=None if done.outputs.model is None else model)


def simulate(model: PathLike, *words: str, device: str, as_release: str = "", noise: str = "") -> EnginePlan:
    """The engine that TensorRT is predicted to build from an ONNX file, with predicted times; no file is left behind.

    words: options as for trtexec. device: a GPU by name, or a file of ``trex devices``. as_release: TensorRT to
    predict, 8.4 to 11.1. noise: the seed of made-up scatter; without it all samples are equal.
    Raises TrexError for a file that is not an ONNX model, an unknown GPU, and dynamic shapes.
    """
    with scratch_folder() as folder:
        return process(
            model, folder, *words, backend=SIMULATED, device=device, as_release=as_release, noise=noise,
            build_engine=True, profile_engine=True,
        )  # fmt: skip


def expected_ms(plan: EnginePlan) -> tuple[float, float] | None:
    """The range (ms) in which a simulated engine's GPU compute is expected; None for a measured one, and for
    one with loops or conditions.
    """
    from trex.perf.expected import expected_ms as expected_range_ms

    return expected_range_ms(plan)


def what_if(
    model: PathLike,
    *words: str,
    device: str | Sequence[str],
    batch: int | Sequence[int] = (),
    change: str | Sequence[str] = (),
    as_release: str = "",
) -> WhatIf:
    """What an inference is predicted to take on other GPUs, at other batches, after changes of the model.

    words: options as for trtexec. change: ``quantize``, ``quantize-residuals``, ``quantize-pooling``,
    ``strip-quantizers``; several are made together. The file stays unchanged.
    Raises TrexError for a file that is no ONNX model, a GPU or change that is not known, no GPU at all, and a batch
    where the model has no dimension for it.
    """
    from trex.capture.simulated_request import simulated_request
    from trex.perf.recognize import find_device
    from trex.simulator.model_edit import EDITS
    from trex.simulator.what_if import what_if_results

    names = [device] if isinstance(device, str) else list(device)
    changes = [change] if isinstance(change, str) else list(change)
    unknown = next((name for name in changes if name not in EDITS), None)
    if unknown is not None:
        raise TrexError(f"there is no change called {unknown!r}", f"one of {', '.join(EDITS.names)}")
    path = os.fspath(model)
    target = simulated_request(path, words, names[0] if names else "", as_release).target
    batches = [batch] if isinstance(batch, int) else list(batch)
    edits = [EDITS.load(name) for name in changes]
    devices = [find_device(name) for name in names]
    return WhatIf(tuple(what_if_results(path, target, devices, batches or [None], edits)), Path(path).name)
