"""SVG → PNG and PDF: of the right size, with the text in it, and a clear word where that cannot be."""

from __future__ import annotations

import struct
import sys
import zlib

import pytest

from tests.factories import engine, layer, t
from tests.simulated_examples import load_simulated
from tests.synthetic.engines import synthetic_engine
from trex.core.errors import TrexError
from trex.export import svg_picture
from trex.export.diagram import Drawing, render_diagram
from trex.export.svg import render_svg
from trex.export.svg_picture import (
    COARSEST,
    LONGEST_PAGE_PT,
    LONGEST_SIDE,
    USUAL_PIXELS,
    picture_of_svg,
    png_scale,
    size_of,
)
from trex.plan.engine_plan import EnginePlan

SMALL = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" viewBox="0 0 40 30">'
    '<style>.r{fill:#ff0000}</style><rect width="100%" height="100%" fill="#fff"/>'
    '<rect class="r" width="20" height="30"/></svg>'
)


@pytest.fixture(scope="module")
def svg() -> str:
    return render_svg(Drawing(synthetic_engine("resnet18-int8")).scene)


@pytest.fixture
def typst():
    return pytest.importorskip("typst", reason="the extra picture is not installed")


def png_size(content: bytes) -> tuple[int, int]:
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def pdf_text(content: bytes) -> str:
    pdfium = pytest.importorskip("pypdfium2")
    (page,) = pdfium.PdfDocument(content)
    text: str = page.get_textpage().get_text_bounded()
    return text


def test_a_png_is_twice_as_sharp(typst):
    assert png_size(picture_of_svg(SMALL, "png")) == (80, 60)


def test_a_pdf_is_as_large_as_the_picture_and_in_its_colors(typst):
    pdfium = pytest.importorskip("pypdfium2")
    (page,) = pdfium.PdfDocument(picture_of_svg(SMALL, "pdf"))
    assert page.get_size() == pytest.approx((30, 22.5), abs=0.01)
    pixels = page.render(scale=1).to_numpy()[:, :, :3]
    assert list(pixels[10, 8]) == [0, 0, 255] and list(pixels[10, 25]) == [255, 255, 255]  # blue, green, red


@pytest.mark.slow
def test_an_engine_as_png(typst, svg):
    width, height = size_of(svg)
    assert png_size(picture_of_svg(svg, "png")) == (2 * width, 2 * height)


def test_an_engine_as_pdf_can_be_searched(typst, svg):
    content = picture_of_svg(svg, "pdf")
    assert content.startswith(b"%PDF")
    assert content == picture_of_svg(svg, "pdf")
    text = pdf_text(content)
    assert "resnet18-int8" in text and "/maxpool/MaxPool" in text and "32x64x56x56" in text


def test_a_long_picture_is_a_page_that_viewers_open(typst):
    pdfium = pytest.importorskip("pypdfium2")
    long = SMALL.replace('height="30"', 'height="60000"', 1)
    (page,) = pdfium.PdfDocument(picture_of_svg(long, "pdf"))
    assert page.get_size()[1] == pytest.approx(LONGEST_PAGE_PT, abs=1)


def test_pixels_are_fewer_for_large_pictures_and_too_few_are_an_error():
    assert png_scale(560, 5_000) == 2.0
    assert png_scale(200, 20_000) == LONGEST_SIDE / 20_000
    with pytest.raises(TrexError, match="560 x 300,000 pixels") as caught:
        png_scale(560, 300_000)
    assert "PDF" in caught.value.hint and "--query" in caught.value.hint
    # So that the typesetter needs less than 500 MB, whatever the picture.
    assert png_scale(6_000, 4_000) == 1.0 and USUAL_PIXELS * 16 < 500e6
    assert png_scale(20_000, 15_000) == COARSEST


@pytest.mark.parametrize("svg", ["", "<svg>", '<svg width="3pt" height="5pt">'])
def test_a_size_that_is_not_stated(svg):
    with pytest.raises(TrexError, match="width and height"):
        size_of(svg)


@pytest.mark.parametrize("format", ["png", "pdf"])
def test_where_the_library_is_absent_the_extra_is_named(format, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(TrexError, match=format.upper()) as caught:
        picture_of_svg(SMALL, format)
    assert "[picture]" in caught.value.hint


def test_what_is_no_svg_is_our_error(typst):
    with pytest.raises(TrexError, match="PNG"):
        picture_of_svg('<svg width="10" height="10"><g>', "png")


@pytest.mark.parametrize(
    "name", ["<>&\"'\\", '#image("x")', '#panic("ran")', "$x$", "a\x1eb", "名前", "\u202eabc", "x" * 40_000, ""]
)
def test_names_are_never_code(typst, name):
    plan = EnginePlan(engine(layer(name, name, [t("x")], [t("y")]), inputs=["x"], outputs=["y"], name=name))
    drawn = render_svg(Drawing(plan).scene)
    assert picture_of_svg(drawn, "pdf").startswith(b"%PDF")
    data = picture_of_svg(drawn, "png")
    start, length = data.index(b"IDAT") + 4, struct.unpack(">I", data[data.index(b"IDAT") - 4 : data.index(b"IDAT")])[0]
    assert len(zlib.decompressobj().decompress(data[start : start + length])) > 1000


def test_a_png_too_large_to_be_shown_draws_repeated_blocks_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("typst")
    drawing = Drawing(load_simulated("transformer-fp16"))
    whole, folded = (max(size_of(render_svg(one.scene))) for one in (drawing, drawing.folded))
    assert folded < 0.9 * whole
    monkeypatch.setattr(svg_picture, "LONGEST_SIDE", round(0.45 * whole))
    width, height = struct.unpack(">II", render_diagram(drawing, "png")[16:24])
    assert max(width, height) <= round(0.45 * whole)
    [note] = drawing.notes
    assert note.code == "folded-picture" and ".svg" in note.hint
