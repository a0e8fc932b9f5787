"""EnginePages → a server on this machine alone: an address with a random token, a known host, reading requests."""

from __future__ import annotations

import hmac
import secrets
import traceback
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from trex.core.errors import TrexError
from trex.server.index_page import error_page
from trex.server.pages import EnginePages, Response

LOOPBACK = "127.0.0.1"
_HOSTS = (LOOPBACK, "localhost")
_IDLE_S = 30


class EngineServer(ThreadingHTTPServer):
    """port: 0 for any free one. Raises TrexError if it is taken."""

    daemon_threads = True

    def __init__(self, pages: EnginePages, port: int = 0) -> None:
        self.pages = pages
        self.token = secrets.token_urlsafe(18)
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except (OSError, OverflowError) as error:
            raise TrexError(f"port {port} can't be used: {error}", "leave --port out for a free one") from None

    def server_bind(self) -> None:
        """Without asking a resolver, which may ask the network, for the name of this address."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.server_address[1]

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"

    @property
    def hosts(self) -> frozenset[str]:
        """What a browser calls this server; another name leads here by a forged DNS answer."""
        return frozenset(f"{name}:{self.server_port}" for name in _HOSTS)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that closes a connection is no error; others keep their traceback."""
        import sys

        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: EngineServer
    server_version, sys_version = "trex", ""
    timeout = _IDLE_S

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, with_body: bool) -> None:
        response = self._response()
        with suppress(OSError):  # the browser went away
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if with_body:
                self.wfile.write(response.body)

    def _response(self) -> Response:
        if not {*self.headers.get_all("Host", ("",))} <= self.server.hosts:
            return Response(421, error_page("This server answers on 127.0.0.1 and localhost only.").encode())
        try:
            parts = urlsplit(self.path)
            query = dict(parse_qsl(parts.query, max_num_fields=8))
            empty, token, *rest = parts.path.split("/")
        except ValueError:  # no address, or too many fields
            return _no_such_page()
        if empty or len(rest) != 1 or not hmac.compare_digest(token.encode(), self.server.token.encode()):
            return _no_such_page()
        try:
            return self.server.pages.respond(rest[0], query)
        except Exception:  # our bug: the browser would only say that nothing came
            traceback.print_exc()
            return Response(500, error_page("This is a bug of trex.", "Its terminal has the traceback.").encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the address contains the token."""


def _no_such_page() -> Response:
    return Response(404, error_page("There is no such page.", "Open the address that was printed.").encode())
