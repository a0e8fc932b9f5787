"""A serialized engine alone → the error that says what it is, and how to export its layers."""

from __future__ import annotations

import os
import shlex
from typing import Any

from trex.core.errors import TrexError
from trex.core.printable import clipped, printable
from trex.ingest.finding.file_kind import SIMULATED_SCHEMA, Kind, recognize
from trex.ingest.lenient_json import parse
from trex.ingest.signature import next_step, signature_of
from trex.ingest.source import read_head

_HEAD_BYTES = 4096
_WORD_CHARS = 100


def no_layers(path: str) -> TrexError:
    """For an engine, a model or telemetry without files that describe its layers."""
    head = read_head(path, _HEAD_BYTES)
    signature = signature_of(head)
    if signature:
        what, hint = signature.description, next_step(signature, path)
    elif simulated := _simulated(head):
        return _of_simulated(path, simulated)
    else:
        kind = recognize(head, os.path.basename(path))  # noqa: PTH119
        what = "a file without layers" if kind is Kind.UNKNOWN else kind.label
        hint = "pass the JSON or the log that trtexec wrote"
    return TrexError(f"this is {what}, and no file next to it describes its layers", hint, path)


def _simulated(head: bytes) -> dict[str, Any]:
    """The first members of the file that the simulator writes in place of an engine; {} for another file."""
    try:
        documents = parse(head).documents
    except TrexError:
        return {}
    document = documents[0] if documents and isinstance(documents[0], dict) else {}
    return document if str(document.get("schema", "")).startswith(SIMULATED_SCHEMA) else {}


def _of_simulated(path: str, document: dict[str, Any]) -> TrexError:
    section = document.get("device")
    device = _word(section.get("Selected Device")) if isinstance(section, dict) else ""
    model, release = _word(document.get("model")), _word(document.get("release"))
    target = " and ".join(filter(None, (device, release and f"TensorRT {release}")))
    what = " ".join(filter(None, ("a simulated engine", model and f"of {model}", target and f"for {target}")))
    folder, name = os.path.split(path)
    words = ["trex", "process", path, folder or ".", "--profile-engine", "--backend", "simulated"]
    words += ["--device", device or "NAME", *(("--as-release", release) if release else ())]
    return TrexError(
        f"this is {what}: TensorRT cannot load it, and the predicted layers and times are not next to it",
        f"bring {name}.graph.json, {name}.profile.json and the others of its folder, or predict again: "
        f"{shlex.join(words)}",
        path,
    )


def _word(value: object) -> str:
    """A name in the file, printable and clipped; "" for anything else."""
    return clipped(printable(value), _WORD_CHARS) if isinstance(value, str) else ""
