"""Graph and profile → whether the layers that the profile times are the graph's, seen from their first names."""

from __future__ import annotations

import re

from trex.ingest.finding.file_kind import HEAD_BYTES
from trex.ingest.source import read_head

# Both files are in execution order: the names at the beginning of one are at the beginning of the other.
_GRAPH_BYTES = 64 * HEAD_BYTES
_NAMES = 20
_NAME = re.compile(rb'"name"\s{0,8}:\s{0,8}"([^"\\]{1,500})"|"([^"\\]{1,500})"\s{0,8}:\s{0,8}\[')


def share_names(graph: str, profile: str) -> bool:
    """True when most of the profile's first layers are in the graph. Raises TrexError when a file cannot be read."""
    times = read_head(profile, HEAD_BYTES)
    names = [match[1] or match[2] for _, match in zip(range(_NAMES), _NAME.finditer(times))]
    layers = read_head(graph, _GRAPH_BYTES)
    known = sum(b'"%b"' % name in layers or b"Name: %b," % name in layers for name in names)
    return known > 0 and 2 * known >= len(names)
