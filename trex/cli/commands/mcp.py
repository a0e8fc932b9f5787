"""Serve read-only tools about engines to agents (MCP) over standard input and output.

ROOT … are the folders that tools may read, by default the working directory; links count by where they lead. Engines
that come with the package (example:NAME) can always be read. Nothing is written, and no network is used.

The tools are inspect, findings, layers, compare, explain and whatif. An answer has at most --tokens tokens (2.5 letters
count as one); it says what it leaves out and how to go on. Names from engines are escaped, bounded data.

examples:
  trex mcp engines/
  trex mcp engines/ models/ --tokens 8000
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli.command import DONE, Command
from trex.cli.output import DocumentOptions
from trex.core.errors import TrexError
from trex.core.options import count, option

_LEAST, _MOST = 1000, 100_000


@dataclass(frozen=True, kw_only=True)
class McpOptions(DocumentOptions):
    roots: tuple[str, ...] = option((), "folders that tools may read", positional=True, many=True, metavar="ROOT")
    tokens: int = option(4000, "the most tokens of one answer", metavar="N", convert=count)


def run(options: McpOptions) -> int:
    from trex.agents.server import serve
    from trex.agents.session import Session

    if not _LEAST <= options.tokens <= _MOST:
        raise TrexError(f"--tokens {options.tokens} is out of range", f"{_LEAST} to {_MOST:,}")
    serve(Session(options.roots or (".",)), options.tokens)
    return DONE


COMMAND = Command(McpOptions, run, checks_output=False)
