"""utils/README.md: every output in it is what the command above it prints."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mocks import write_model, write_trtexec

# Whole runs: too long for the check between two edits.
pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "utils" / "README.md"
BLOCK = re.compile(
    r"(<!-- mock ([\d.]+): python3 (utils/\w+\.py .*?) -->\n\n```text\n)(.*?)(```\n\n<!-- end -->)", re.DOTALL
)


def printed(release: str, command: str, folder: Path) -> str:
    """What the command prints in a folder with a model, and a trtexec of this release on the PATH."""
    write_model(folder / "model.onnx")
    program = write_trtexec(folder / release, release)
    environment = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    for name in ("COLUMNS", "TREX_MOCK"):
        environment.pop(name, None)
    script, *words = shlex.split(command)
    done = subprocess.run(
        [sys.executable, str(ROOT / script), *words],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
    )  # fmt: skip
    return done.stdout.replace(f"{folder}{os.sep}{release}{os.sep}", "").rstrip() + "\n"


def test_what_the_page_shows_is_printed(tmp_path: Path) -> None:
    """TREX_UPDATE_SNAPSHOTS=1 writes the page anew."""
    page = PAGE.read_text(encoding="utf-8")
    assert len(BLOCK.findall(page)) == page.count("<!-- end -->") >= 5
    written = BLOCK.sub(lambda match: f"{match[1]}{printed(match[2], match[3], tmp_path)}{match[5]}", page)
    if os.environ.get("TREX_UPDATE_SNAPSHOTS"):
        PAGE.write_text(written, encoding="utf-8")
        return
    assert written == page


def test_every_script_is_named() -> None:
    page = PAGE.read_text(encoding="utf-8")
    files = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "utils").glob("*.py")}
    scripts = {name for name, text in files.items() if '__name__ == "__main__"' in text}
    assert {name for name in scripts if f"`{name}" not in page} == set()
