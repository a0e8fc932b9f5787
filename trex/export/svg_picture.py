"""SVG text → PNG or PDF, by the typesetter in typst's wheels: no system library, and text in a PDF stays text."""

from __future__ import annotations

import re
from collections.abc import Callable

from trex.core.errors import TrexError, missing_extra

FORMATS = ("png", "pdf")

# Twice as sharp as the screen, while it costs little; a picture of one pixel for two of ours can still be read.
SHARPEST = 2.0
COARSEST = 0.5
# The typesetter holds copies, 16 bytes a pixel: 390 MB. Only pictures that could not be read else have more.
USUAL_PIXELS = 24_000_000
MOST_PIXELS = 100_000_000
LONGEST_SIDE = 32_000  # what viewers of pictures show
# ISO 32000-1, Annex C.2: a page measures at most 14 400 points; a larger picture is drawn smaller and zoomed into.
LONGEST_PAGE_PT = 14_400.0

# The picture is data of the document, so that nothing in it is read as typst's own language.
_DOCUMENT = """\
#set document(date: none, title: sys.inputs.title)
#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.picture), format: "svg", width: %.3fpt, height: %.3fpt)
"""
_PIXEL_PT = 0.75
_SIZE = re.compile(r'<svg[^>]*? width="([0-9.]+)(?:px)?" height="([0-9.]+)(?:px)?"')


def picture_of_svg(svg: str, format: str, title: str = "") -> bytes:
    """The picture of an SVG document whose width and height are stated in pixels. format: ``png`` or ``pdf``.
    title: of the document, which a PDF keeps.

    PNG: two pixels for each of the SVG's, fewer for large ones. PDF: one page of the picture's size.
    Raises TrexError when the extra ``picture`` is not installed, and for a PNG too large to be shown or read.
    """
    try:
        import typst
    except ImportError as error:
        absent = missing_extra("typst", "picture", f"writing {format.upper()}")
        hint = f"{absent.hint}, or let Graphviz draw it: --engine dot (Python: engine='dot')"
        raise TrexError(absent.message, hint) from error
    compiled: Callable[..., bytes] = typst.compile
    width, height = size_of(svg)
    scale = png_scale(width, height) if format == "png" else 1.0
    shrunk = min(1.0, LONGEST_PAGE_PT / (max(width, height) * _PIXEL_PT)) if format == "pdf" else 1.0
    document = _DOCUMENT % (width * _PIXEL_PT * shrunk, height * _PIXEL_PT * shrunk)
    try:
        return compiled(
            document.encode(), format=format, ppi=72 / _PIXEL_PT * scale, sys_inputs={"picture": svg, "title": title}
        )
    except RuntimeError as error:  # typst.TypstError is one
        raise TrexError(
            f"this cannot be drawn as {format.upper()}", "draw SVG, which needs nothing", excerpt=str(error)
        ) from error


def size_of(svg: str) -> tuple[float, float]:
    """Width and height in pixels as the document's element states them. Raises TrexError when it does not."""
    match = _SIZE.search(svg[:2000])
    if match is None:
        raise TrexError("the SVG does not state its width and height in pixels", "draw it as SVG")
    return float(match[1]), float(match[2])


def is_png(svg: str) -> bool:
    """Whether a PNG of the SVG can be shown and read."""
    try:
        png_scale(*size_of(svg))
    except TrexError:
        return False
    return True


def png_scale(width: float, height: float) -> float:
    """Pixels of the PNG for each of the SVG's, along one side. Raises TrexError when too few would be left to read."""
    usual, most = ((pixels / (width * height)) ** 0.5 for pixels in (USUAL_PIXELS, MOST_PIXELS))
    scale = min(SHARPEST, LONGEST_SIDE / max(width, height), max(usual, min(COARSEST, most)))
    if scale < COARSEST:
        raise TrexError(
            f"a PNG of {width:,.0f} x {height:,.0f} pixels is more than viewers show",
            "draw SVG, PDF or HTML, which have no such bound, or a part: --query, --module, --beam, --hottest, --fold",
        )
    result: float = scale
    return result
