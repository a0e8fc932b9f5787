"""The baselines in a folder, and the plan of one of them.

A baseline is the file ``MODEL/GPU/VERSION.json``; its key is that path without the suffix.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from trex.core.baseline_key import BaselineKey, model_word
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.ingest.baseline_json import is_baseline, read_baseline
from trex.ingest.source import read_head, read_source
from trex.plan.engine_plan import EnginePlan

BASELINE = "baseline:"
FOLDER = "baselines"
"""The default folder, next to the configuration or in the working directory."""
_HEAD_BYTES = 256
_MOST = 2000

Plan = TypeVar("Plan", bound=EnginePlan)


@dataclass(frozen=True, slots=True, order=True)
class BaselineFile:
    """key: as the file's path contains it."""

    key: BaselineKey
    path: str


def path_of(folder: str | os.PathLike[str], key: BaselineKey) -> Path:
    """The file of the baseline with this key."""
    return Path(folder) / key.model / key.gpu / f"{key.version}.json"


def baselines_in(folder: str | os.PathLike[str]) -> tuple[BaselineFile, ...]:
    """Every baseline of the folder, sorted by key; empty if there is no such folder.

    Raises TrexError for a folder that may not be read: what is in it would count as missing.
    """
    return tuple(sorted(_baselines(Path(folder))))


def _baselines(folder: Path) -> Iterator[BaselineFile]:
    for inner in (folder, *folder.glob("*"), *folder.glob("*/*")):
        if inner.is_dir() and not os.access(inner, os.R_OK | os.X_OK):
            raise TrexError("the system refuses to list this folder", "its baselines are not known", str(inner))
    files = sorted(islice(folder.glob("*/*/*.json"), _MOST + 1))
    if len(files) > _MOST:
        raise TrexError(f"the folder contains more than {_MOST} baselines", "name a smaller folder", str(folder))
    for file in files:
        yield BaselineFile(BaselineKey(file.parts[-3], file.parts[-2], file.stem), str(file))


def find_baseline(folder: str | os.PathLike[str], wanted: str, default: BaselineKey) -> BaselineFile:
    """The baseline with the key ``wanted``: ``""``, ``MODEL``, ``MODEL/GPU`` or ``MODEL/GPU/VERSION``; ``default``
    completes it.

    Raises TrexError, listing similar keys, if there is none. Another GPU or version is never chosen by itself.
    """
    parts = [part for part in wanted.strip().strip("/").removesuffix(".json").split("/") if part]
    if len(parts) > 3:
        raise TrexError(f"{wanted!r} is not a baseline key", "MODEL, MODEL/GPU or MODEL/GPU/VERSION")
    if parts:
        parts[0] = model_word(parts[0])
    key = BaselineKey(*(*parts, *(default.model, default.gpu, default.version)[len(parts) :]))
    files = baselines_in(folder)
    if not files:
        raise TrexError("the folder contains no baseline", "add one: trex baseline add PATH", str(folder))
    for file in files:
        if file.key == key:
            return file
    others = [BASELINE + file.key.text for file in files if file.key.model == key.model]
    if others:
        hint = f"name one in full: {', '.join(others[:8])}; or trex baseline add PATH"
    else:
        models = sorted({file.key.model for file in files})
        hint = did_you_mean(key.model, models, f"models here: {', '.join(models[:12])}")
    raise TrexError(f"there is no baseline {key.text}", hint, str(folder))


def is_baseline_file(path: str) -> bool:
    """Whether the path is a file with the beginning of a baseline."""
    return path.endswith(".json") and os.path.isfile(path) and is_baseline(read_head(path, _HEAD_BYTES))  # noqa: PTH113 (Path raises for names that cannot be)


def load_baseline(plan_type: type[Plan], path: str, name: str | None = None) -> Plan:
    """The plan of a baseline, named after its key. Raises TrexError if the file is not a baseline."""
    source = read_source(path)
    key, artifacts = read_baseline(source.data, source.path)
    return plan_type.from_artifacts(artifacts, name or f"{BASELINE}{key.text}")
