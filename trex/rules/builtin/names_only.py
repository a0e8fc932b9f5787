"""An engine that tells nothing but the names of its layers.

What it finds: engines whose layers all lack types of tensors, shapes and kernels.
Why it matters: without them no question about precision, formats, fusion or work can be answered; all other rules
that need them stay silent or say that they cannot tell.
What to try: build the engine again with ``--profilingVerbosity=detailed``. The verbosity is kept in the engine: passing
it when the engine is loaded brings nothing back.
Does not apply: as soon as one layer tells a tensor or a kernel.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from trex.core.metadata import Metadata
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Rule

_VERBOSITY = re.compile(r" --(?:profilingVerbosity|nvtxMode)=\S*")


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding]:
    if not seen.layers or any(layer.inputs or layer.outputs or layer.tactic for layer in seen.layers):
        return
    yield Finding(
        f"the engine keeps nothing but the names of its {len(seen.layers):,} layers: no types, shapes or kernels",
        evidence=(Evidence("layers with a tensor or a kernel", 0), Evidence("layers", len(seen.layers))),
        advice=(
            _command(seen.plan.build_metadata),
            "in Python: config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED, before the engine is built",
        ),
        documentation=("TensorRT Developer Guide: Engine Inspector",),
        proof="the layer information of the new engine has Inputs, Outputs and TacticName for its layers",
    )


def _command(build: Metadata) -> str:
    """How the engine was built, as far as its files tell, and with details."""
    flag = "--profilingVerbosity=detailed"
    told = _VERBOSITY.sub("", build.command_line).strip()
    if told.startswith("trtexec ") and ("--onnx=" in told or "--uff=" in told):
        return f"{told} {flag}"
    model = build.model_options.get("Model")
    onnx = shlex.quote(model) if isinstance(model, str) and model else "MODEL.onnx"
    return f"trtexec --onnx={onnx} --saveEngine=MODEL.engine {flag}, with the flags of the first build"


RULE = Rule("INFO001", "engine that keeps only names", Severity.WARNING, check, is_first=True)
