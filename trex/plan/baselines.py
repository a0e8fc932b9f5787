"""Folder of baselines → which runs are kept there, and the plan of one of them.

A baseline is the file ``MODEL/GPU/VERSION.json`` of the folder; its key is that path without the ending.
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
"""The folder's usual name, beside the configuration or in the working directory."""
_HEAD_BYTES = 256
_MOST = 2000

Plan = TypeVar("Plan", bound=EnginePlan)


@dataclass(frozen=True, slots=True, order=True)
class Kept:
    """One baseline of a folder: its key, as its path tells it, and the file."""

    key: BaselineKey
    path: str


def path_of(folder: str | os.PathLike[str], key: BaselineKey) -> Path:
    """Where the baseline of this key is, or would be."""
    return Path(folder) / key.model / key.gpu / f"{key.version}.json"


def kept_in(folder: str | os.PathLike[str]) -> tuple[Kept, ...]:
    """Every baseline of the folder in the order of the keys; empty when there is no such folder."""
    return tuple(sorted(_kept(Path(folder))))


def _kept(folder: Path) -> Iterator[Kept]:
    for number, file in enumerate(sorted(folder.glob("*/*/*.json"))):
        if number >= _MOST:
            raise TrexError(f"more than {_MOST} baselines are here", "name a smaller folder", str(folder))
        yield Kept(BaselineKey(file.parts[-3], file.parts[-2], file.stem), str(file))


def chosen(folder: str | os.PathLike[str], wanted: str, like: BaselineKey) -> Kept:
    """The baseline that ``wanted`` names: a key, or its beginning; what it leaves open is as in ``like``.

    wanted: ``""``, ``MODEL``, ``MODEL/GPU`` or ``MODEL/GPU/VERSION``. Another GPU or version than that of ``like`` must
    be named in full. Raises TrexError, listing what is near, when there is none.
    """
    parts = [part for part in wanted.strip().strip("/").removesuffix(".json").split("/") if part]
    if len(parts) > 3:
        raise TrexError(f"{wanted!r} is no key of a baseline", "MODEL, MODEL/GPU or MODEL/GPU/VERSION")
    if parts:
        parts[0] = model_word(parts[0])
    filled = BaselineKey(*(*parts, *(like.model, like.gpu, like.version)[len(parts) :]))
    kept = kept_in(folder)
    found = next((each for each in kept if each.key == filled), None)
    if found is not None:
        return found
    if not kept:
        raise TrexError("no baseline is kept here", "trex baseline add PATH keeps one", str(folder))
    others = [each.key.text for each in kept if each.key.model == filled.model]
    if others:
        hint = f"name one in full: {', '.join(BASELINE + text for text in others[:8])}; or trex baseline add PATH"
    else:
        models = sorted({each.key.model for each in kept})
        hint = did_you_mean(filled.model, models, f"models here: {', '.join(models[:12])}")
    raise TrexError(f"there is no baseline {filled.text}", hint, str(folder))


def is_baseline_file(path: str) -> bool:
    """Whether the path is a file that begins as a baseline does."""
    return path.endswith(".json") and Path(path).is_file() and is_baseline(read_head(path, _HEAD_BYTES))


def load_baseline(plan_type: type[Plan], path: str, name: str | None = None) -> Plan:
    """The plan of a kept run, called as its key is. Raises TrexError for a file that is no baseline."""
    source = read_source(path)
    key, artifacts = read_baseline(source.data, source.path)
    return plan_type.from_artifacts(artifacts, name or f"{BASELINE}{key.text}")
