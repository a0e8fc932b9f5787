"""A copy of the repository, for tests that add files to it, and pytest runs in a process of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("trex", "tests", "utils", "docs", "pyproject.toml", "setup.py", "README.md")


def copy_checkout(folder: Path) -> Path:
    """Copies what the tests read to ``folder/checkout`` and returns its path."""
    checkout = folder / "checkout"
    checkout.mkdir(parents=True)
    for name in PARTS:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, checkout / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, checkout / name)
    return checkout


def has_test(folder: Path, plug: str) -> bool:
    """Whether a plug has a test file of its own, as utils/new.py writes it."""
    return (folder / f"test_{plug.replace('-', '_')}.py").is_file()


def run_pytest(folder: Path, *arguments: str, **process: Any) -> subprocess.CompletedProcess[str]:
    """Runs pytest in ``folder``, as a person does there: without the options and variables of this run."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments),
        cwd=folder,
        env=environment | process.pop("env", {}),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **process,
    )
