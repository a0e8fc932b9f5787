"""Number and noun → text: ``1 layer``, ``3 layers``, ``1 tensor has``, ``2,000 tensors have``."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """The number with its noun, and with the verb if the caller's sentence depends on the number.

    many: the words for any number but 1; by default those for 1 with an s.
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
