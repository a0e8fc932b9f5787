"""TrexError: a mistake of the user or an unusable file, with an address and a next step."""

from __future__ import annotations

import os

from trex.core.printable import clipped, printable

EXCERPT_CHARS = 200
MESSAGE_CHARS = 1000


class TrexError(Exception):
    """Raised for what the user can fix; the command line prints it without a traceback and exits with 2.

    message: one sentence saying what is wrong. hint: what to do next. Both are clipped to 1000 characters.
    where: ``file:line:column`` or a path, printed to as many. excerpt: at most 200 characters of the offending text.
    ``str(error)`` is printable, apart from the line breaks between its parts.
    """

    def __init__(self, message: str, hint: str = "", where: str = "", excerpt: str = "") -> None:
        self.message = clipped(message, MESSAGE_CHARS)
        self.hint = clipped(hint, MESSAGE_CHARS)
        self.where = where
        self.excerpt = excerpt[:EXCERPT_CHARS]
        super().__init__(str(self))

    def __reduce__(self) -> tuple[type, tuple[str, str, str, str]]:
        """From another process with all its parts."""
        return type(self), (self.message, self.hint, self.where, self.excerpt)

    def __str__(self) -> str:
        text = f"{clipped(self.where, MESSAGE_CHARS)}: {self.message}" if self.where else self.message
        if self.excerpt:
            text += f"\n  near: {self.excerpt!r}"
        if self.hint:
            text += f"\n  try: {self.hint}"
        return "\n".join(map(printable, text.split("\n")))


def file_error(error: OSError) -> TrexError:
    """The error for a file or folder that the system refuses: a name that is too long, permissions, a full disk."""
    hint = "check its name, its permissions and the disk"
    return TrexError(f"the system refuses it: {error.strerror}", hint, _text(error.filename))


def _text(name: object) -> str:
    return os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else str(name)


def missing_extra(package: str, extra: str, purpose: str) -> TrexError:
    """The error for an optional library that is not installed; names the extra that includes it."""
    return TrexError(
        f"{purpose} needs the package {package!r}, which is not installed",
        hint=f"pip install 'tensorrt-engine-explorer[{extra}]'",
    )
