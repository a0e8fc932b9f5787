"""Texts that are compared with files in ``tests/snapshots``; TREX_UPDATE_SNAPSHOTS=1 writes the files anew."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "snapshots"


def check_snapshot(name: str, text: str) -> None:
    """Fails if ``text`` differs from the file. Read the difference, then accept or fix it."""
    path = FOLDER / name
    if os.environ.get("TREX_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        return
    assert path.is_file(), f"there is no snapshot {name}: TREX_UPDATE_SNAPSHOTS=1 writes it"
    assert text == path.read_text(encoding="utf-8"), f"{name} differs: TREX_UPDATE_SNAPSHOTS=1 accepts the new text"
