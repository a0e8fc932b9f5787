"""CollectorError: what ended a collection, in one sentence, and the next step."""

from __future__ import annotations

USAGE_ERROR = 2
FAILED = 1


class CollectorError(Exception):
    """message: one sentence. hint: the next step. code: 2 usage or input error, 1 TensorRT or CUDA failed."""

    def __init__(self, message: str, hint: str = "", code: int = USAGE_ERROR) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code
