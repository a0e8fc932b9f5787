"""EnginePages: a path and its query → what a browser gets. Only the folder is read; pages made last are kept."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from trex.core.collector import collector_paused
from trex.core.configuration import LintConfiguration
from trex.core.errors import TrexError
from trex.ingest.confinement import confined
from trex.server.entry import NOT_READ, Entry, Headline
from trex.server.index_page import error_page, index_page
from trex.server.listing import MOST_READ, headline_of
from trex.server.sources import folder, run_store

if TYPE_CHECKING:
    from trex.plan.engine_plan import EnginePlan
    from trex.views.document import Document

KEPT_PAGES = 16
KEPT_BYTES = 64_000_000
FORMS, SCRIPTS = "form-action 'self'", "form-action 'none'; script-src 'unsafe-inline'; img-src data: blob:"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; {}"


@dataclass(frozen=True, slots=True)
class Response:
    """allowed: what its content security policy allows apart from styles."""

    status: int
    body: bytes
    allowed: str = FORMS

    @property
    def headers(self) -> dict[str, str]:
        return {
            "Content-Type": "text/html; charset=utf-8",
            "Content-Length": str(len(self.body)),
            "Content-Security-Policy": _POLICY.format(self.allowed),
            "Cache-Control": "no-store",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        }


class EnginePages:
    """root: the folder. configuration: settings of lint. Raises TrexError if it is no folder."""

    def __init__(self, root: str, configuration: LintConfiguration | None = None) -> None:
        if not Path(root).is_dir():
            raise TrexError("there is no such folder", "trex serve FOLDER", root)
        self.root = os.path.realpath(root)
        self.title = Path(self.root).name
        self._configuration = configuration
        self._headlines: dict[tuple[object, ...], Headline] = {}
        self._pages: OrderedDict[tuple[object, ...], bytes] = OrderedDict()
        self._lock = Lock()  # one page is made at a time
        self._listed: tuple[float, dict[str, Entry]] = (-1.0, {})
        self._index: tuple[float, bytes] = (-1.0, b"")

    def entries(self) -> dict[str, Entry]:
        """{key: entry}, in the order of folders and names."""
        with self._reading():
            entries = [*folder.entries(self.root), *run_store.entries(self.root)]
        entries.sort(key=lambda entry: (entry.folder.split("/"), entry.name))
        return {entry.key: entry for entry in entries}

    def headlines(self, entries: Mapping[str, Entry]) -> dict[str, Headline]:
        """Each engine is read once, a limited number of them at a time."""
        unread = [entry for entry in entries.values() if entry.state not in self._headlines and entry.headline is None]
        later = {entry.state for entry in unread[MOST_READ:]}
        result = {}
        with self._reading():
            for entry in entries.values():
                if entry.state not in self._headlines and entry.state not in later:
                    self._headlines[entry.state] = headline_of(entry)
                result[entry.key] = self._headlines.get(entry.state, Headline(origin=NOT_READ))
        return result

    def respond(self, view: str, query: Mapping[str, str]) -> Response:
        """view: ``""`` for the list, ``report``, ``graph`` (of ``engine``) or ``compare`` (``base``, ``new``)."""
        asked = monotonic()
        try:
            with self._lock:
                return self._respond(view, query, asked)
        except OSError as error:  # of a folder that changed, or is not the user's
            address = f"{error.filename}: " if error.filename else ""
            message = f"{address}the system refuses it: {error.strerror or error}"
            return Response(422, error_page(message, "reload the page").encode("utf-8", "replace"))
        except TrexError as error:
            message = f"{error.where}: {error.message}" if error.where else error.message
            return Response(422, error_page(message, error.hint).encode("utf-8", "replace"))

    def _respond(self, view: str, query: Mapping[str, str], asked: float) -> Response:
        """asked: when; requests that waited for one another share one look at the folder, if it began after that."""
        if self._listed[0] <= asked:
            self._listed = monotonic(), self.entries()
        began, entries = self._listed
        if not view:
            if self._index[0] != began:
                page = index_page(self.title, entries, self.headlines(entries))
                self._index = began, page.encode("utf-8", "replace")
            return Response(200, self._index[1])
        roles = _ROLES.get(view)
        if roles is None:
            return Response(404, error_page("There is no such page.").encode())
        chosen = [entries.get(query.get(role, "")) for role in roles]
        known = [entry for entry in chosen if entry is not None]
        if len(known) < len(roles):
            return Response(404, error_page("There is no such engine.", "It may have been moved.").encode())
        return Response(200, self._page(view, known), SCRIPTS)

    def _page(self, view: str, entries: list[Entry]) -> bytes:
        key = (view, *(entry.state for entry in entries))
        if key not in self._pages:
            with self._reading(), collector_paused():
                self._pages[key] = _MAKERS[view](*(entry.load() for entry in entries), self._configuration)
        self._pages.move_to_end(key)
        while len(self._pages) > 1 and (
            len(self._pages) > KEPT_PAGES or sum(map(len, self._pages.values())) > KEPT_BYTES
        ):
            self._pages.popitem(last=False)
        return self._pages[key]

    def _reading(self) -> AbstractContextManager[None]:
        return confined((self.root,))


def report_page(plan: EnginePlan, configuration: LintConfiguration | None) -> bytes:
    from trex.views.report.document import report_document

    return _html(report_document(plan, None, 10, configuration))


def graph_page(plan: EnginePlan, configuration: LintConfiguration | None) -> bytes:
    from trex.export.diagram import Drawing, render_diagram
    from trex.rules.plan_lint import PlanLint

    if not plan.engine.layers:
        raise TrexError("no layers are known, so there is nothing to draw", "trex doctor says what is missing")
    return render_diagram(Drawing(plan, lint=PlanLint(plan, None, configuration)), "html")


def comparison_page(base: EnginePlan, new: EnginePlan, _: LintConfiguration | None) -> bytes:
    from trex.compare.series import EngineSeries
    from trex.views.compare.document import series_document
    from trex.views.document import Detail

    return _html(series_document(EngineSeries(base, [new]), Detail()))


def _html(document: Document) -> bytes:
    from trex.export.document import render_document

    return render_document(document, "html")


_ROLES = {"report": ("engine",), "graph": ("engine",), "compare": ("base", "new")}
_MAKERS: Mapping[str, Callable[..., bytes]] = {
    "report": report_page,
    "graph": graph_page,
    "compare": comparison_page,
}
