"""Text → lines that fit: widths, elision in the middle, wrapping."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

# Advance widths of Helvetica (its published font metrics) for ' ' … '~', in thousandths of the font size.
_HELVETICA = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 "
    "584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 "
    "667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 "
    "278 556 500 722 500 500 500 334 260 334 584"
)
_QUARTER = 4
_WIDTHS = bytes(
    [0] * 32 + [round(int(width) / _QUARTER) for width in _HELVETICA.split()] + [0] + [round(600 / _QUARTER)] * 128
)
# Fonts that stand in for Helvetica are wider; bold is too.
_ALLOWANCE = 1.08
_WIDE = 1000
ELLIPSIS = "…"
# Longer texts do not repeat: remembering them would only hold memory.
_REMEMBERED = 512
_BREAK_AFTER = frozenset("/_ +,.:;)]}|-")


def text_width(text: str, size: float) -> float:
    """Width in pixels of a line in a sans-serif font of ``size`` pixels; rather too wide than too narrow."""
    thousandths = _QUARTER * sum(text.encode("latin-1", "replace").translate(_WIDTHS))
    if not text.isascii():
        thousandths += (_WIDE - 556) * sum(character > "\xff" for character in text)
    return thousandths * size * _ALLOWANCE / 1000


def elided(text: str, width: float, size: float) -> str:
    """The text, its middle left out where it would be wider than ``width``: names differ at both ends."""
    return _elided(text, width, size) if len(text) <= _REMEMBERED else _elided.__wrapped__(text, width, size)


@lru_cache(maxsize=1 << 14)
def _elided(text: str, width: float, size: float) -> str:
    if len(text) <= 4 or (len(text) < 4096 and text_width(text, size) <= width):
        return text
    keep = _fitting(text, width - text_width(ELLIPSIS, size), size)
    tail = keep // 2
    return text[: keep - tail].rstrip() + ELLIPSIS + text[len(text) - tail :].lstrip()


def _fitting(text: str, width: float, size: float) -> int:
    """About how many characters, from both ends, fit into a width."""
    budget = int(width / (0.2 * size)) + 2
    sample = text[: budget // 2 + 1] + text[-(budget // 2 + 1) :]
    average = text_width(sample, size) / max(1, len(sample))
    keep = min(len(text) - 1, max(4, int(width / max(average, 0.1))))
    while keep > 4 and text_width(text[: keep - keep // 2] + text[len(text) - keep // 2 :], size) > width:
        keep -= 1
    return keep


def wrapped(text: str, width: float, size: float, max_lines: int) -> tuple[str, ...]:
    """At most ``max_lines`` lines, broken after separators where possible; the middle of a long text is left out."""
    text = " ".join(elided(text, width * max_lines * 0.94, size).split())
    if text_width(text, size) <= width:
        return (text,) if text else ()
    return tuple(_lines(text, width, size, max_lines))


def _lines(text: str, width: float, size: float, max_lines: int) -> Iterator[str]:
    for remaining in range(max_lines, 0, -1):
        if remaining == 1 or text_width(text, size) <= width:
            yield elided(text, width, size)
            return
        end = _prefix(text, width, size)
        for cut in range(end, end // 2, -1):
            if text[cut - 1] in _BREAK_AFTER and text[cut - 2 : cut] != " /":
                end = cut
                break
        yield text[:end].rstrip()
        text = text[end:].lstrip()
        if not text:
            return


def _prefix(text: str, width: float, size: float) -> int:
    """How many leading characters fit; at least one."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if text_width(text[:middle], size) <= width:
            low = middle
        else:
            high = middle - 1
    return low
