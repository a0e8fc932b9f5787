"""A build log with the inspector's text of the engine → its graph file, in the inspector's own JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.whole_file import write_whole
from trex.ingest.logs.inspector_text import inspector_document
from trex.ingest.logs.trtexec_log import read_log


def write_graph_of_log(log: Path, graph: Path, marks: Mapping[str, str]) -> tuple[Note, ...]:
    """Writes the last engine of the log; a Note where it holds no layers. Raises TrexError if the log is unreadable.

    marks: further keys of the file.
    """
    try:
        with log.open("rb") as file:
            run = read_log(file, str(log)).runs[-1]
    except OSError as error:
        raise TrexError(f"the log cannot be read: {error.strerror}", "check its permissions", str(log)) from None
    if not run.raw_layers:
        message = "the engine was built, but its builder printed no layers"
        return (Note("no-layers-in-log", message, "leave profilingVerbosity at detailed", str(log), "problem"),)
    document = {**inspector_document(run.raw_layers, run.bindings), **marks}
    write_whole(graph, (json.dumps(document, indent=1) + "\n").encode())
    return run.notes
