"""Scripts of utils/ as modules, though the folder is no package."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

UTILS = Path(__file__).resolve().parents[1] / "utils"


def script(name: str) -> ModuleType:
    """The script ``name.py``, loaded anew."""
    spec = importlib.util.spec_from_file_location(name, UTILS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def unread(command: list[str], folder: Path, environment: Mapping[str, str] | None = None) -> tuple[int, str]:
    """(exit code, complaints) of a program that writes to a pipe without a reader."""
    end, pipe = os.pipe()
    os.close(end)
    try:
        done = subprocess.run(
            command, stdout=pipe, stderr=subprocess.PIPE, text=True, cwd=folder, timeout=60, env=environment
        )
    finally:
        os.close(pipe)
    return done.returncode, done.stderr
