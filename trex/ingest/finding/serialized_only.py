"""A serialized engine alone → the error that says what it is, and how to get the files that tell its layers."""

from __future__ import annotations

import os
import shlex
from typing import Any

from trex.core.errors import TrexError
from trex.core.printable import clipped, printable
from trex.ingest.finding.file_kind import SIMULATED_SCHEMA, Kind, recognize
from trex.ingest.finding.signature import next_step, signature_of
from trex.ingest.lenient_json import parse
from trex.ingest.source import read_head

_HEAD_BYTES = 4096
_WORD_CHARS = 100


def layers_untold(path: str) -> TrexError:
    """For an engine, a model or telemetry at ``path`` beside which nothing tells layers; its first bytes say which."""
    head = read_head(path, _HEAD_BYTES)
    found = signature_of(head)
    simulated = _simulated(head) if found is None else {}
    if simulated:
        return _of_simulated(path, simulated)
    kind = recognize(head, os.path.basename(path))  # noqa: PTH119
    what = found.description if found else "a file without layers" if kind is Kind.UNKNOWN else kind.value
    hint = next_step(found, path) if found else "pass the JSON or the log that trtexec wrote"
    return TrexError(f"this is {what}, and no file beside it tells its layers", hint, path)


def _simulated(head: bytes) -> dict[str, Any]:
    """The first entries of the file that the simulated builder leaves in an engine's place; {} for another file."""
    try:
        documents = parse(head).documents
    except TrexError:
        return {}
    document = documents[0] if documents else None
    if isinstance(document, dict) and str(document.get("schema", "")).startswith(SIMULATED_SCHEMA):
        return document
    return {}


def _of_simulated(path: str, document: dict[str, Any]) -> TrexError:
    told = document.get("device")
    device = _word(told.get("Selected Device")) if isinstance(told, dict) else ""
    model, release = _word(document.get("model")), _word(document.get("release"))
    names = (device, f"TensorRT {release}" if release else "")
    target = " and ".join(filter(None, names))
    what = " ".join(filter(None, ("this is a simulated engine", model and f"of {model}", target and f"for {target}")))
    folder, name = os.path.split(path)
    words = ["trex", "process", path, folder or ".", "--profile-engine", "--backend", "simulated"]
    words += ["--device", device or "NAME", *(("--as-release", release) if release else ())]
    return TrexError(
        f"{what}: predicted, nothing was built, and no TensorRT can load it; the files that tell its layers and times "
        "are not beside it",
        f"bring {name}.graph.json, {name}.profile.json and the others of its folder, or write them anew: "
        f"{shlex.join(words)}",
        path,
    )


def _word(value: object) -> str:
    """A name in the file, as it can be shown and no longer than names are; "" for what is none."""
    return clipped(printable(value), _WORD_CHARS) if isinstance(value, str) else ""
