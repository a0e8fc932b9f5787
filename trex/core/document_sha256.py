"""JSON text → SHA-256 of its content, whatever its layout, its line endings and the order of its keys."""

from __future__ import annotations

import hashlib
import json

SHA256 = "sha256"
"""The key under which the document keeps it."""


def document_sha256(text: str | bytes) -> str:
    """Hexadecimal. text: an object. Raises ValueError if it can't be read."""
    document = json.loads(text, parse_int=str)  # of any length
    content = {name: value for name, value in document.items() if name != SHA256}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
