"""Folder of baselines → its baselines, and the plan of one of them.

A baseline is a file ``MODEL/GPU/VERSION.json`` in the folder; its key is the path without the suffix.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
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
"""The default name of the folder, next to the configuration or in the working directory."""
_HEAD_BYTES = 256
_MOST = 2000

Plan = TypeVar("Plan", bound=EnginePlan)


@dataclass(frozen=True, slots=True, order=True)
class BaselineFile:
    """One baseline in a folder. key: from its path."""

    key: BaselineKey
    path: str


def path_of(folder: str | os.PathLike[str], key: BaselineKey) -> Path:
    """The path of the baseline with this key, whether it exists or not."""
    return Path(folder) / key.model / key.gpu / f"{key.version}.json"


def list_baselines(folder: str | os.PathLike[str]) -> tuple[BaselineFile, ...]:
    """The baselines in the folder, sorted by key; () if the folder does not exist."""
    return tuple(sorted(_baselines(Path(folder))))


def _baselines(folder: Path) -> Iterator[BaselineFile]:
    for number, file in enumerate(sorted(folder.glob("*/*/*.json"))):
        if number >= _MOST:
            raise TrexError(f"more than {_MOST} baselines in this folder", "pass a smaller folder", str(folder))
        yield BaselineFile(BaselineKey(file.parts[-3], file.parts[-2], file.stem), str(file))


def find_baseline(folder: str | os.PathLike[str], wanted: str, like: BaselineKey) -> BaselineFile:
    """The baseline with the key ``wanted``; missing parts are taken from ``like``.

    wanted: ``""``, ``MODEL``, ``MODEL/GPU`` or ``MODEL/GPU/VERSION``. Raises TrexError, listing similar keys, if there
    is no such baseline.
    """
    parts = [part for part in wanted.strip().strip("/").removesuffix(".json").split("/") if part]
    if len(parts) > 3:
        raise TrexError(f"{wanted!r} is not the key of a baseline", "write MODEL, MODEL/GPU or MODEL/GPU/VERSION")
    if parts:
        parts[0] = model_word(parts[0])
    filled = BaselineKey(*(*parts, *(like.model, like.gpu, like.version)[len(parts) :]))
    baselines = list_baselines(folder)
    for baseline in baselines:
        if baseline.key == filled:
            return baseline
    if not baselines:
        raise TrexError("no baselines in this folder", "add one: trex baseline add PATH", str(folder))
    others = [baseline.key.text for baseline in baselines if baseline.key.model == filled.model]
    if others:
        hint = f"pass a full key: {', '.join(BASELINE + text for text in others[:8])}; or run trex baseline add PATH"
    else:
        models = sorted({baseline.key.model for baseline in baselines})
        hint = did_you_mean(filled.model, models, f"models here: {', '.join(models[:12])}")
    raise TrexError(f"there is no baseline {filled.text}", hint, str(folder))


def is_baseline_file(path: str) -> bool:
    """Whether the path is a file that begins like a baseline."""
    return path.endswith(".json") and Path(path).is_file() and is_baseline(read_head(path, _HEAD_BYTES))


def load_baseline(plan_type: type[Plan], path: str, name: str | None = None) -> Plan:
    """The plan of a baseline, named by its key. Raises TrexError for other files."""
    source = read_source(path)
    key, artifacts = read_baseline(source.data, source.path)
    return plan_type.from_artifacts(artifacts, name or f"{BASELINE}{key.text}")
