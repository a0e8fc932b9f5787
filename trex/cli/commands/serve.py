"""Serve a local page that lists the engines of a folder and opens reports, graphs and comparisons.

The page is on this machine only (127.0.0.1), at an address with a random token, which is printed; Ctrl-C ends it.
Pages are made when they are opened. Nothing is written, and files outside of the folder are not read. With --json or
--output, the list itself is written instead.

examples:
  trex serve engines/
  trex serve . --port 8000
  trex serve engines/ --json
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.cli import console
from trex.cli.command import DONE, Command
from trex.cli.output import DocumentOptions
from trex.cli.settings import lint_settings
from trex.cli.stopping import is_ctrl_c
from trex.core.options import count, option
from trex.views.document import Document


@dataclass(frozen=True, kw_only=True)
class ServeOptions(DocumentOptions):
    folder: str = option(".", "the folder whose engines are listed", positional=True, metavar="FOLDER")
    port: int = option(0, "the port (default: a free one)", metavar="N", convert=count)
    open: bool = option(False, "open the page in the browser")


def run(options: ServeOptions) -> Document | int:
    from trex.server.http_server import EngineServer
    from trex.server.listing import listing_document
    from trex.server.pages import EnginePages

    pages = EnginePages(options.folder, lint_settings(""))
    if not options.is_for_reading or options.output:
        entries = pages.entries()
        return listing_document(options.folder, entries, pages.headlines(entries))
    with EngineServer(pages, options.port) as server:
        console.say(server.address)
        console.complain("Ctrl-C ends it")
        if options.open:
            import webbrowser

            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt as stop:
            if not is_ctrl_c(stop):
                raise
    return DONE


COMMAND = Command(ServeOptions, run)
