"""The pictures in images/ are what their script draws."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_pictures_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, "utils/write_images.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
