"""An engine's files → one zip with their names hashed, to be attached to a report.

What goes in: every text file of the engine, as it is but for names (``trex/views/hashed_words.py``), whether it can
be read or not. What stays out: engines, ONNX models, timing caches and other binaries. ``trex`` reads the zip like a
folder.
"""

from __future__ import annotations

import json
import platform
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from trex import __version__
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.printable import encodable
from trex.core.read_files import refuse_read
from trex.core.whole_file import write_whole
from trex.core.whole_set import JOURNAL, RUN_FOLDER, UNFINISHED_RUN
from trex.ingest.finding.run_outcomes import MANIFEST, MANIFEST_SCHEMA, failed_stages, of_engine
from trex.ingest.logs.run_metadata import RUN_FAILED
from trex.ingest.source import read_source
from trex.ingest.text import decode
from trex.plan.loading import find_plans
from trex.views.hashed_words import HashedWords

MOST_BYTES = 64_000_000
"""Of one file: hashing takes a second for each megabyte."""
_DATE = (1980, 1, 1, 0, 0, 0)
_README = """\
Files of a TensorRT engine, packed by trex {version} (Python {python}, {system}) to be attached to a report.

Words that TensorRT, ONNX or trex don't know are n_ and eight digits of a keyed hash; the key was thrown away. One word
has one hash in all files. Numbers and shapes are as they were, and may identify a well-known model.
Left out: {left_out}
Keys that trex does not know and that stayed: {kept}
"""


@dataclass(frozen=True)
class Bundle:
    """members: (file, name in the zip). left_out: (file, why). kept: keys of JSON that are not known, and stayed."""

    path: Path
    members: tuple[tuple[str, str], ...]
    left_out: tuple[tuple[str, str], ...]
    kept: tuple[str, ...]


def write_bundle(
    addresses: Sequence[str], path: Path, words: HashedWords | None = None, more: Mapping[str, str] | None = None
) -> Bundle:
    """Packs the engines or files at the addresses. words: the mapping, by default one with a key of its own. more: text
    of other members by name, packed as it is.

    Raises TrexError if there is nothing to pack.
    """
    words = words or HashedWords()
    texts: dict[str, str] = {}
    members: list[tuple[str, str]] = []
    left_out: list[tuple[str, str]] = []
    groups = [group for address in addresses for group in _files_at(address)]
    for file in dict.fromkeys(file for group in groups for file in group.files):
        try:
            text = _text_of(file)
        except TrexError as error:
            left_out.append((file, error.message))
            continue
        name = _free_name(encodable(words.file_name(Path(file.rpartition("!")[2]).name)), texts)
        texts[name] = words.text(text)
        members.append((file, name))
    texts |= _outcomes(groups, dict(members), words)
    for name, text in (more or {}).items():
        texts[name] = text
        members.append((name, name))
    if not texts:
        raise TrexError("nothing to pack: no text file", "name the engine's JSON files or logs", ", ".join(addresses))
    kept = tuple(sorted(words.kept))
    readme = _README.format(
        version=__version__, python=platform.python_version(), system=platform.system(),
        left_out=", ".join(sorted({_named_by_kind(file, why, words) for file, why in left_out})) or "nothing",
        kept=", ".join(kept) or "none",
    )  # fmt: skip
    refuse_read(str(path))
    write_whole(path, _zipped({**texts, "README.md": readme}))
    return Bundle(path, tuple(members), tuple(left_out), kept)


@dataclass(frozen=True)
class _Group:
    """The files of an engine, and what its folder says of the run."""

    files: tuple[str, ...]
    notes: tuple[Note, ...] = ()


def _files_at(address: str) -> Iterable[_Group]:
    """The engines there; of what is no engine, the file itself or the files in the folder."""
    try:
        engines = find_plans(address)
    except TrexError:
        folder = Path(address)
        if folder.is_dir():
            files = sorted(str(file) for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
            return (_Group(tuple(files)),)
        return (_Group((address,)),)
    return (_Group((*files.paths, *files.more_logs), files.notes) for files in engines)


def _outcomes(groups: Iterable[_Group], names: Mapping[str, str], words: HashedWords) -> dict[str, str]:
    """Files by which the zip's run, too, is one that failed or was not moved in as a whole. names: in the zip."""
    engines, texts = [], {}
    for group in groups:
        name = next((names[file] for file in group.files if file in names), "")
        for note in group.notes if name else ():
            if note.code == UNFINISHED_RUN:
                texts[f"{RUN_FOLDER}/{JOURNAL}"] = "{}"
            elif note.code == RUN_FAILED:
                stages = of_engine(group.files, failed_stages(_text_of(note.where).encode())) or ()
                known = [{key: words.printed(text) for key, text in stage.items()} for stage in stages]
                engines.append({"name": name, "stages": known})
    if engines:
        texts[MANIFEST] = json.dumps({"schema": MANIFEST_SCHEMA, "engines": engines}, indent=1)
    return texts


def _text_of(file: str) -> str:
    """Raises TrexError for what is binary, cannot be read or is too large."""
    data = read_source(file).data
    if len(data) > MOST_BYTES:
        raise TrexError(f"more than {MOST_BYTES // 1_000_000} MB of text")
    return decode(data)[0].replace("\x00", "")  # between letters they would part a word


def _named_by_kind(file: str, why: str, words: HashedWords) -> str:
    return f"{words.file_name(Path(file).suffix) or 'a file'} ({words.printed(why)})"


def _free_name(name: str, taken: Mapping[str, str]) -> str:
    stem, dot, ending = name.partition(".")
    number = 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}{dot}{ending}"
    return name


def _zipped(texts: Mapping[str, str]) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted(texts.items()):
            archive.writestr(zipfile.ZipInfo(name, _DATE), encodable(text).encode("utf-8"), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
