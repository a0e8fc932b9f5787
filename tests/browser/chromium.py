"""The browser's program and its flags, for tests and for the benchmark."""

from __future__ import annotations

import os
import shutil

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str | None:
    """The browser's program: that of TREX_CHROMIUM, or the system's."""
    return os.environ.get("TREX_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
