"""utils/build_site.py: links that hold on the site, and nothing that is loaded from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from utils.build_site import ROOT, ROOT_PAGES, api_page, loaded_from_elsewhere, relinked


@pytest.mark.parametrize(
    ("source", "text", "result"),
    [
        ("docs/report.md", "![a](../images/chart.png)", "![a](images/chart.png)"),
        ("docs/report.md", "![a](../images/report.png)", "[![a](images/report.png)](gallery/report.html)"),
        (
            "docs/report.md",
            "[slow-engine.md](slow-engine.md#x)",
            "[*Find out why an engine is slow*](slow-engine.md#x)",
        ),
        ("docs/python.md", "[a](../SECURITY.md#memory)", "[a](security.md#memory)"),
        ("docs/notebooks/tutorial.md", "[a](../capture.md)", "[a](../capture.md)"),
        ("CONTRIBUTING.md", "[a](docs/rules.md), [b](https://x.org/)", "[a](rules.md), [b](https://x.org/)"),
        ("docs/capture.md", "[folder](../utils/README.md)", "folder"),  # not on the site, and no repository is known
        ("docs/capture.md", "`f(a)[b](c)`", "`f(a)[b](c)`"),
    ],
)
def test_links(monkeypatch: pytest.MonkeyPatch, source: str, text: str, result: str) -> None:
    monkeypatch.delenv("TREX_REPOSITORY", raising=False)
    assert relinked(text, source) == result


def test_sources_are_linked_where_the_repository_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREX_REPOSITORY", "https://forge.example/org/trex/")
    monkeypatch.setenv("TREX_REVISION", "v1.0.0")
    result = relinked("[folder](../utils/README.md)", "docs/capture.md")
    assert result == "[folder](https://forge.example/org/trex/blob/v1.0.0/utils/README.md)"


def test_every_page_is_in_the_navigation_once() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[2]
    pages = [file.relative_to(ROOT / "docs").as_posix() for file in (ROOT / "docs").rglob("*.md")]
    listed = re.findall(r"([\w/-]+\.md)$", navigation, re.MULTILINE)
    assert sorted(listed) == sorted({*pages, *ROOT_PAGES.values(), "api.md", "gallery.md"})


def test_every_public_file_is_in_the_reference() -> None:
    files = {file.stem for file in (ROOT / "trex").glob("*.py") if not file.stem.startswith("_")}
    assert {line.removeprefix("::: trex.") for line in api_page().splitlines() if line.startswith(":::")} == files


@pytest.mark.parametrize(
    ("text", "is_loaded"),
    [
        ('<script src="https://cdn.example/x.js"></script>', True),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', True),
        ("<style>@import url(https://cdn.example/x.css)</style>", True),
        ("<style>a { background: url('http://cdn.example/x.png') }</style>", True),
        ('<link rel="canonical" href="https://trex.example/">', False),
        ('<a href="https://example.org/">a link</a><img src="images/x.png">', False),
    ],
)
def test_what_is_loaded_from_elsewhere_is_found(tmp_path: Path, text: str, is_loaded: bool) -> None:
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    assert bool(list(loaded_from_elsewhere(tmp_path))) is is_loaded
