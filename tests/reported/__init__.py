"""Engines that were reported: bundles of ``trex doctor --bundle``, a folder each, as cases next to the synthetic ones.

``python utils/new.py engine BUNDLE`` adds one. ``expected.json`` has what must be read; ``"error": true``: nothing can.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

from tests.synthetic.case import Case, Expect

FOLDER = Path(__file__).resolve().parent
EXPECTED = "expected.json"
_OURS = re.compile(r"README\.md|acceptance\.json|.*commands\.log")
_CODE = frozenset((".py", ".pyc", ".pyd", ".pth", ".so"))
_MOST_BYTES = 200_000_000
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def case_of(folder: Path) -> Case:
    files = {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.name != EXPECTED}
    facts = json.loads((folder / EXPECTED).read_text(encoding="utf-8"))
    expect = Expect(
        layer_count=facts["layers"],
        roles=facts["roles"],
        latency_ms=facts["latency_ms"],
        error=facts["error"],
    )
    return Case(folder.name, files, facts["main"], expect)


def add_bundle(bundle: Path, name: str, parent: Path) -> list[Path]:
    """Unpacks each engine of the bundle into a folder of its own below ``parent``, and writes what is read today.

    Raises ValueError for what is no bundle and for a name that is taken or no name.
    """
    from trex.core.errors import TrexError
    from trex.engine_plan import load
    from trex.plan.loading import find_plans

    name = name or f"reported-{hashlib.sha256(bundle.read_bytes()).hexdigest()[:8]}"
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} can't be an engine's name: write lower-case words joined by hyphens")
    with tempfile.TemporaryDirectory() as place:
        texts = _unpacked(bundle, Path(place))
        try:
            groups = [[Path(file) for file in engine.paths] for engine in find_plans(place)]
        except TrexError:
            groups = [texts]
        folders = []
        for number, files in enumerate(groups, 1):
            folder = parent / (name if len(groups) == 1 else f"{name}-{number}")
            if folder.exists():
                raise ValueError(f"{folder.name} exists")
            folder.mkdir(parents=True)
            for file in files:
                (folder / file.name).write_bytes(file.read_bytes())
            facts = {"main": files[0].name, "layers": 0, "roles": {}, "latency_ms": None, "error": False}
            try:
                plan = load(folder / files[0].name)
                facts["layers"] = len(plan.whole_engine.layers)
                facts["roles"] = dict(Counter(layer.role.value for layer in plan.whole_engine.layers))
                if any(plan.times):
                    facts["latency_ms"] = sum(time.average_ms or 0.0 for time in plan.times if time is not None)
            except TrexError:
                facts["error"] = True
            (folder / EXPECTED).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
            folders.append(folder)
    return folders


def _unpacked(bundle: Path, place: Path) -> list[Path]:
    """The engines' files of the bundle, below ``place``. Raises ValueError for another file.

    A stranger's zip: pytest must find no code in it, and its size is bounded.
    """
    if not zipfile.is_zipfile(bundle):
        raise ValueError(f"{bundle.name} is no bundle: trex doctor --bundle writes one")
    files = []
    with zipfile.ZipFile(bundle) as archive:
        if sum(info.file_size for info in archive.infolist()) > _MOST_BYTES:
            raise ValueError(f"{bundle.name} has more than {_MOST_BYTES // 1_000_000} MB of text")
        for info in archive.infolist():
            if _OURS.fullmatch(info.filename):
                continue
            if "/" in info.filename or "\\" in info.filename:
                raise ValueError(f"{bundle.name} is no bundle: it has folders")
            if Path(info.filename).suffix.lower() in _CODE:
                raise ValueError(f"{bundle.name} is no bundle: it has code")
            file = place / info.filename
            file.write_bytes(archive.read(info))
            files.append(file)
    if not files:
        raise ValueError(f"{bundle.name} has no file of an engine")
    return files


REPORTED = [case_of(folder) for folder in sorted(FOLDER.iterdir()) if (folder / EXPECTED).is_file()]
