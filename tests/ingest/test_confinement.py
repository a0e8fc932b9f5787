"""Confinement: inside it, files outside of the roots are refused where they are opened, by every way to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from trex.core.errors import TrexError
from trex.examples import folder
from trex.ingest.confinement import confined, is_confined, may_read
from trex.ingest.files import find_engines
from trex.ingest.opening import missing_file
from trex.ingest.source import read_source


@pytest.fixture
def root(tmp_path: Path) -> Path:
    inside = tmp_path / "root"
    inside.mkdir()
    (inside / "own.txt").write_text("own", encoding="utf-8")
    (tmp_path / "root-of-others").mkdir()
    (tmp_path / "root-of-others" / "secret.txt").write_text("secret", encoding="utf-8")
    (inside / "link.txt").symlink_to(tmp_path / "root-of-others" / "secret.txt")
    (inside / "circle").symlink_to(inside / "circle")
    (inside / "engine").symlink_to(folder("resnet18-int8"))
    return inside


def test_files_inside_are_read_and_others_refused(root: Path) -> None:
    with confined([root]):
        assert read_source(root / "own.txt").data == b"own"
        for path in (root / "link.txt", root / ".." / "root-of-others" / "secret.txt", "/etc/passwd", root / "circle"):
            with pytest.raises(TrexError) as error:
                read_source(path)
            assert "secret" not in error.value.message and error.value.hint
    assert not is_confined() and read_source(root / "link.txt").data == b"secret"


def test_engines_behind_a_link_are_found_only_without(root: Path) -> None:
    assert [engine.name for engine in find_engines(root)]
    with confined([root]), pytest.raises(TrexError):
        find_engines(root)
    with confined([root, folder("resnet18-int8")]):
        assert find_engines(root)


def test_the_inner_one_counts(root: Path) -> None:
    with confined([root.parent]), confined([root]):
        assert may_read(str(root)) and not may_read(str(root.parent)) and not may_read("a\x00b")


def test_no_neighbor_of_a_root_is_named(root: Path) -> None:
    root.rename(root.parent / "moved")
    with confined([root]):
        assert "root-of-others" not in missing_file(str(root)).hint
    assert "root-of-others" in missing_file(str(root)).hint
