"""Number and noun → the words for them: ``1 layer``, ``3 layers``, ``1 tensor has``, ``2,000 tensors have``."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """The number with the words that go with it, the verb of their sentence included where it depends on it.

    many: the words for any number but 1; without them, those for one with an s.
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
