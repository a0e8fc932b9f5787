"""TrexError: a mistake or a file we cannot use, told with an address and a next step."""

from __future__ import annotations

EXCERPT_CHARS = 200


class TrexError(Exception):
    """Raised for what the user can mend; the command line prints it without a traceback and exits with 2.

    message: one sentence saying what was found. hint: what to do next. where: ``file:line:column`` or a path.
    excerpt: at most 200 characters of the offending text.
    """

    def __init__(self, message: str, hint: str = "", where: str = "", excerpt: str = "") -> None:
        self.message = message
        self.hint = hint
        self.where = where
        self.excerpt = excerpt[:EXCERPT_CHARS]
        super().__init__(str(self))

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        if self.excerpt:
            text += f"\n  near: {self.excerpt!r}"
        if self.hint:
            text += f"\n  try: {self.hint}"
        return text


def missing_extra(package: str, extra: str, purpose: str) -> TrexError:
    """The error for an optional library that is not installed: names the extra that brings it."""
    return TrexError(
        f"{purpose} needs the package {package!r}, which is not installed",
        hint=f"pip install 'tensorrt-engine-explorer[{extra}]'",
    )
