"""Fault: what stops a collection, in one sentence, and what to do about it."""

from __future__ import annotations

WRONG_WORDS = 2
FAILED = 1


class Fault(Exception):
    """message: one sentence. hint: the next step. code: exit code, 2 for the user's words and files, 1 for TensorRT."""

    def __init__(self, message: str, hint: str = "", code: int = WRONG_WORDS) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code
