"""A serialized engine alone → the error that says what it is, and how to export its layers."""

from __future__ import annotations

import os
import shlex

from trex.core.errors import TrexError
from trex.ingest.finding.file_kind import SIMULATED_SCHEMA, Kind, recognize
from trex.ingest.signature import next_step, signature_of
from trex.ingest.source import read_head

_HEAD_BYTES = 4096


def no_layers(path: str) -> TrexError:
    """For an engine, a model or telemetry without files that describe its layers."""
    head = read_head(path, _HEAD_BYTES)
    signature = signature_of(head)
    if signature:
        what, hint = signature.description, next_step(signature, path)
    elif SIMULATED_SCHEMA.encode() in head:
        return _of_simulated(path)
    else:
        kind = recognize(head, os.path.basename(path))  # noqa: PTH119
        what = "a file without layers" if kind is Kind.UNKNOWN else kind.label
        hint = "pass the JSON or the log that trtexec wrote"
    return TrexError(f"this is {what}, and no file next to it describes its layers", hint, path)


def _of_simulated(path: str) -> TrexError:
    folder, name = os.path.split(path)
    words = ["trex", "process", path, folder or ".", "--profile-engine", "--backend", "simulated"]
    return TrexError(
        "this is a simulated engine: TensorRT cannot load it, and the predicted layers and times are not next to it",
        f"bring {name}.graph.json, {name}.profile.json and the others of its folder, or predict again: "
        f"{shlex.join(words)}",
        path,
    )
