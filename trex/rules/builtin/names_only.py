"""An engine that contains only the names of its layers.

What it finds: engines whose layers all lack tensor types, shapes and kernels.
Why it matters: precision, formats, fusion and work are unknown; rules that need them find nothing or report what they
can't check.
What to try: build the engine again with ``--profilingVerbosity=detailed``. The engine stores the verbosity: passing it
when the engine is loaded has no effect.
Does not apply: engines in which at least one layer has a tensor or a kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from trex.core.metadata import Metadata
from trex.core.printable import shell_line, shell_word
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Rule

_VERBOSITY = re.compile(r" --(?:profilingVerbosity|nvtxMode)=\S*")


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    layers = engine.layers
    if not layers or any(layer.inputs or layer.outputs or layer.tactic for layer in layers):
        return
    yield Finding(
        f"The engine contains only the names of its {len(layers):,} layers: no types, shapes or kernels",
        evidence=(Evidence("layers with a tensor or a kernel", 0), Evidence("layers", len(layers))),
        fix=(
            _command(engine.plan.build_metadata),
            "in Python: config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED, before the engine is built",
        ),
        documentation=("TensorRT Developer Guide: Engine Inspector",),
        how_to_check="the layer information of the new engine has Inputs, Outputs and TacticName",
    )


def _command(build: Metadata) -> str:
    """How the engine was built, if its files contain it, and with details."""
    flag = "--profilingVerbosity=detailed"
    command = _VERBOSITY.sub("", build.command_line).strip()
    program, *words = command.split() or [""]
    is_plain = program == "trtexec" and all(word.startswith("--") for word in words)
    if is_plain and any(word.startswith(("--onnx=", "--uff=")) for word in words):
        return shell_line((program, *words, flag))  # quoted: the log may be anyone's
    model = build.model_options.get("Model")
    onnx = shell_word(model) if isinstance(model, str) and model else "MODEL.onnx"
    return f"trtexec --onnx={onnx} --saveEngine=MODEL.engine {flag}, with the flags of the first build"


RULE = Rule("INFO001", "engine with names only", Severity.WARNING, check, is_first=True)
