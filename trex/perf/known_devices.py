"""Known devices: the bundled ones and the user's own, by name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.perf.device import Device
from trex.perf.device_file import read_device

BUNDLED = Path(__file__).resolve().parent / "devices"
_SHORT = {
    "p100": "Tesla P100-SXM2-16GB",
    "v100": "Tesla V100-SXM2-16GB",
    "a100": "NVIDIA A100-SXM4-80GB",
    "h100": "NVIDIA H100 80GB HBM3",
    "rtx pro 6000": "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
    "rtx pro 6000 blackwell": "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
}
"""Short names of several parts: the most common part is used, with a Note."""
_DROPPED = frozenset({"nvidia", "geforce", "tesla", "gpu", "corporation", "r", "tm", "nvgpu"})
_WORD = re.compile(r"[a-z0-9.]+")


@dataclass(frozen=True, slots=True)
class Listed:
    """A device, the file that describes it, and whether that file is the user's."""

    device: Device
    file: Path
    is_users: bool


def user_folders(environment: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """Folders of the user's own device files: those in TREX_DEVICES (separated like PATH), then
    ``$XDG_CONFIG_HOME/trex/devices``, by default ``~/.config/trex/devices``. They need not exist.
    """
    environment = os.environ if environment is None else environment
    named = [_at_home(part) for part in environment.get("TREX_DEVICES", "").split(os.pathsep) if part]
    home = environment.get("XDG_CONFIG_HOME", "")
    config = Path(home) if Path(home).is_absolute() else _at_home("~/.config")
    return (*named, config / "trex" / "devices")


def _at_home(path: str) -> Path:
    """The path with ``~`` expanded if there is a home directory; a service may have none."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 (Path.expanduser raises without one)


def known_devices(environment: Mapping[str, str] | None = None) -> tuple[tuple[Listed, ...], tuple[Note, ...]]:
    """(every known device, the user's first; Notes about unreadable files of the user's).

    A user's device replaces a bundled one of the same name, and one of an earlier folder that of a later one.
    """
    listed: list[Listed] = []
    notes: list[Note] = []
    for folder in user_folders(environment):
        for file in sorted(folder.glob("*.json")) if os.path.isdir(folder) else ():  # noqa: PTH112 (Path raises for another user's)
            try:
                listed.append(Listed(read_device(file), file, True))
            except TrexError as error:
                notes.append(Note("device-file-unreadable", error.message, error.hint, error.where, "problem"))
    by_name: dict[str, Listed] = {}
    for entry in listed:
        first = by_name.setdefault(plain_name(entry.device.name), entry)
        if first is not entry and first.file.parent == entry.file.parent:
            message = f"{entry.device.name!r} is also described by {first.file.name}, which is used"
            notes.append(Note("device-file-not-used", message, "keep one file per device", str(entry.file)))
    for entry in _bundled():
        by_name.setdefault(plain_name(entry.device.name), entry)
    return tuple(by_name.values()), tuple(notes)


def find_device(name_or_file: str | Path, environment: Mapping[str, str] | None = None) -> Device:
    """The device of this name or alias, or the one that a file describes (a path, or anything ending in ``.json``).

    Case, hyphens and the words NVIDIA, GeForce, Tesla and GPU do not matter, every other word does: ``RTX 3060`` is not
    ``RTX 3060 Laptop GPU``. ``A100``, ``H100`` and a few more stand for one of several parts, with a Note. Raises
    TrexError, with similar names, if no device or several devices have the name, and as ``read_device``.
    """
    text = str(name_or_file)
    if isinstance(name_or_file, Path) or text.endswith(".json") or "/" in text or os.sep in text:
        return read_device(name_or_file)
    listed, notes = known_devices(environment)
    devices = [entry.device for entry in listed]
    matches = devices_called(text, devices)
    if len(matches) == 1:
        return matches[0]
    if not matches and plain_name(text) in _SHORT:
        return _taken_for_short(text, devices)
    if matches:
        several = ", ".join(repr(device.name) for device in matches)
        raise TrexError(f"{text!r} is ambiguous: {len(matches)} devices have this name", f"use one of {several}")
    unread = "; " + "; ".join(map(str, notes)) if notes else ""
    close = close_names(text, devices)
    wanted = "did you mean " + ", ".join(map(repr, close)) + "?" if close else "`trex devices` lists the known ones."
    raise TrexError(
        f"unknown device {text!r}",
        f"{wanted} Describe any other in a file of your own: `trex devices NAME --save mine.json`{unread}",
    )


def _taken_for_short(name: str, devices: list[Device]) -> Device:
    (device,) = devices_called(_SHORT[plain_name(name)], devices)
    others = [other for other in close_names(name, devices, 9) if other != device.name]
    message = f"{name!r} means {device.name} here; there are also {', '.join(others)}"
    return replace(
        device, notes=(*device.notes, Note("device-name-is-short", message, "use the full name", severity="info"))
    )


def devices_called(name: str, devices: Iterable[Device]) -> list[Device]:
    """The devices with this name, else those with this alias."""
    plain = plain_name(name)
    if not plain:
        return []
    devices = list(devices)
    named = [device for device in devices if plain_name(device.name) == plain]
    return named or [device for device in devices if plain in map(plain_name, device.aliases)]


def close_names(name: str, devices: Iterable[Device], most: int = 5) -> list[str]:
    """Names of similar known devices: those that contain every word, else those of similar spelling."""
    words = set(plain_name(name).split())
    spelled: dict[str, str] = {}
    for device in devices:
        for called in (device.name, *device.aliases):
            spelled.setdefault(plain_name(called), device.name)
    for short, called in _SHORT.items():
        if called in spelled.values():
            spelled.setdefault(short, called)
    holding = [called for plain, called in spelled.items() if words and words <= set(plain.split())]
    similar = [spelled[plain] for plain in get_close_matches(plain_name(name), spelled, most, 0.7)]
    return list(dict.fromkeys(holding or similar))[:most]


def plain_name(name: str) -> str:
    """A name without case, hyphens and the words that only some drivers print."""
    return " ".join(word for word in _WORD.findall(name.casefold()) if word not in _DROPPED)


def is_same_gpu(name: str, other: str) -> bool:
    """Whether two names may be of one kind of GPU: also if spelled differently, by an alias, or if one of them is no
    known device's but part of a known one's (``A100 80GB``).
    """
    plain = plain_name(name), plain_name(other)
    if plain[0] == plain[1]:
        return bool(plain[0]) or name == other
    devices = [entry.device for entry in known_devices()[0]]
    known = [devices_called(words, devices) for words in plain]
    if all(len(matches) == 1 for matches in known):
        return known[0] == known[1]
    if not any(len(matches) == 1 for matches in known):
        return False
    part, whole = plain if len(known[1]) == 1 else reversed(plain)
    return bool(part) and set(part.split()) <= set(whole.split())


def names_other_gpu(name: str, gpu: str) -> bool:
    """Whether a name that people gave is that of another known device than the known one that files name. One that is
    part of the other may be meant: ``RTX 4090`` of ``RTX 4090 Laptop GPU``, ``A10`` of ``A10G``.
    """
    listed = [entry.device for entry in known_devices()[0]]
    plain = [plain_name(text) for text in (name, gpu.partition(" MIG ")[0])]
    known = [devices_called(text, listed) or devices_called(_SHORT.get(text, ""), listed) for text in plain]
    given, own = (
        {text, *(plain_name(called) for device in devices for called in (device.name, *device.aliases))}
        for text, devices in zip(plain, known, strict=True)
    )
    may_be_meant = (*(_is_part(plain[0], text) for text in own), *(_is_part(plain[1], text) for text in given))
    return all(known) and not any(may_be_meant)


def _is_part(name: str, whole: str) -> bool:
    """Whether each word is part of a word of the other, but not of a number: A10 is in A10G, and not in A100."""
    return all(re.search(rf"(?<!\d){re.escape(word)}(?!\d)", whole) for word in name.split())


@lru_cache(maxsize=1)
def _bundled() -> tuple[Listed, ...]:
    return tuple(Listed(read_device(file), file, False) for file in sorted(BUNDLED.glob("*.json")))
