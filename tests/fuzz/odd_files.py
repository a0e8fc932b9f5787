"""Every command × every place that takes a path × every odd thing that can lie there.

    python -m tests.fuzz.commands --odd-files --seconds 7200 [--part 0/2] [--from 5000]

The order is the same in every run of a seed: at first every command × option × kind once, then every command line ×
kind, then the other files of the folders.

Places come from the declared options, so that an option that takes a path is tried without being named here, and from
the files of an engine, a run store and a folder of baselines.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import socket
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

from tests.build_log_text import MODERN
from tests.fuzz.doors import GOOD_GRAPH
from tests.fuzz.monsters import zipped
from tests.fuzz.targets import SETTINGS, TELEMETRY, model_bytes
from tests.timing_caches import cache_bytes, made_entries
from tests.tuning_text import TUNING
from trex.cli.command import COMMANDS
from trex.cli.main import main as trex_main
from trex.core.options import option_fields
from trex.export.diagram import FORMATS as DIAGRAM_FORMATS
from trex.export.document import format_names
from trex.ingest.timing_cache import read_timing_cache
from trex.ingest.timing_cache_record import record_text
from trex.perf.known_devices import BUNDLED

ODD = "{odd}"
OUTPUT = "document"
SPEC = b'[axes]\nmodel = ["model.onnx"]\nbackend = ["simulated"]\ngpu = ["A100"]\nbatch = [1]\nprecision = ["fp16"]\n'
WRITTEN = ("output", "save", "svg", "bundle", "best_of_each", "record_tactics", "acceptance", "folder", "outdir")
"""Options of what is written: what lies there may be replaced."""
_METAVARS = ("FILE", "FILE.zip", "PATH", "FOLDER", "ONNX", "OUT")
_TEXTS = ("module", "fields")
_TAKES_FILES = ("device", "trtexec", "baseline", "model", "vs", "repository", "commit")

# Command → lines; {x} is the good file x of ``good_files`` and a place for odd ones.
LINES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("summary", "layers", "report", "lint", "perf", "qdq", "doctor"), ("{engine}",)),
    **dict.fromkeys(("collector", "skill", "rules", "examples"), ("",)),
    "draw": ("{engine} -f json",),
    "tactics": ("{log} {log}", "{cache} {cache}", "{engine}", "{tuning}"),
    "compare": ("{engine} {other}", "baseline:x {engine} --baselines {baselines}", "{engine} --vs {other}"),
    "baseline": ("add {engine} --folder {out}/b", "update {engine} --folder {copy}", "list --folder {baselines}"),
    "history": ("m --store {store}",),
    "bisect": ("aa bb --store {store}",),
    "process": ("{onnx} {out}/e --backend simulated --device {device}", "{onnx} {out}/e --print-only",
        "{built} {out}/e --backend simulated --device A100"),
    "sweep": (
        "run {spec} --dry-run --store {out}/s",
        "report {spec} --store {store} --column {csv}",
        "compare {spec} --store {store} --by gpu",
        "gate {spec} --store {store} --commit a",
    ),
    "watch": ("{log} --like {log}",),
    "cache": (
        "show {cache} --log {log}",
        "diff {cache} {record}",
        "merge {cache} {record}",
        "verify {log} {record}",
        "verify {engine} {cache}",
    ),
    "whatif": ("{onnx} --device {device}",),
    "explain-build": ("{onnx} --device {device}",),
    "validate": ("{engines}", "{engine} --onnx {onnx} --device A100"),
    "serve": ("{file}",),
    "mcp": ("{engines}",),
    "explain": ("conv1",),
    "devices": ("{device}",),
    "schema": ("summary",),
    "store": (
        "add {engine} --store {out}/s",
        "add -r {engines} --store {out}/s",
        "list --store {store}",
        "query --store {store}",
        "show {run} --store {store}",
        "rm {run} --store {copy}",
        "compact --store {copy}",
        "fsck --store {store}",
        "fsck --repair --store {copy}",
        "gc --grace 0 --store {copy}",
        "export {out}/x.zip --store {store}",
        "import {exported} --store {out}/s",
        "import {store} --store {out}/s",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """line: words with ODD where the odd path goes. good: what usually lies there. member: the file of the folder
    ``good`` that is odd, empty for the path itself. is_written: what lies there may be replaced.
    """

    line: str
    good: str
    member: str = ""
    is_written: bool = False

    @property
    def command(self) -> str:
        return self.line.split(maxsplit=1)[0]

    @property
    def option(self) -> str:
        """Empty for an argument."""
        before = self.line.partition(ODD)[0].split()[-1]
        return before if before.startswith("-") else ""


def places(good: dict[str, Path]) -> Iterator[Place]:
    """Every place of every command."""
    for command in COMMANDS.names:
        seen = set()
        for line in LINES[command]:
            words = f"{command} {line}".split()
            for index, word in enumerate(words):
                kind = word.strip("{}")
                if not word.startswith("{") or kind not in good or kind == "run":
                    continue
                there = " ".join((*words[:index], ODD, *words[index + 1 :]))
                is_written = kind == "copy"
                kind = ("baselines" if "baseline" in words else "store") if is_written else kind
                yield Place(there, kind, "", is_written)
                if good[kind].is_dir() and kind not in ("engines", "other") and (kind, words[1]) not in seen:
                    seen.add((kind, words[1]))
                    for member in sorted(path for path in good[kind].rglob("*") if path.is_file()):
                        if member.suffix not in (".zst", ".svg"):
                            yield Place(there, kind, str(member.relative_to(good[kind])), is_written)
        first = f"{command} {LINES[command][0]}"
        for field in option_fields(COMMANDS.load(command).value.options):
            takes_path = (field.metavar in _METAVARS or field.name in _TAKES_FILES) and field.name not in _TEXTS
            if takes_path and not field.is_switch and not field.is_positional and f"{field.flag} " not in f"{first} ":
                yield Place(f"{first} {field.flag} {ODD}", _KIND.get(field.name, "file"), "", field.name in WRITTEN)


_KIND = {
    "profiling_json": "profile", "config": "config", "device": "device", "onnx": "onnx", "model": "onnx",
    "log": "log", "like": "log", "store": "store", "baselines": "baselines", "column": "csv", "baseline": "engine",
    "timing_cache": "cache", "replay_tactics": "record", "vs": "engine",
}  # fmt: skip
"""Option → what usually lies there."""


def good_files(folder: Path) -> dict[str, Path]:
    """Kind → one good file or folder, made by trex where it writes it."""
    folder.mkdir(parents=True)
    record = record_text(read_timing_cache(cache_bytes(made_entries()))).encode()
    made = {
        "onnx": ("model.onnx", model_bytes()),
        "log": ("build.log", MODERN.encode()),
        "cache": ("timing.cache", cache_bytes(made_entries())),
        "record": ("record.json", record),
        "tuning": ("tuning.jsonl", TUNING.encode()),
        "spec": ("spec.toml", SPEC),
        "config": ("trex.toml", SETTINGS),
        "device": ("device.json", (BUNDLED / "a10.json").read_bytes()),
        "csv": ("accuracy.csv", b"model,accuracy\nmodel,0.5\n"),
        "file": ("notes.txt", b"one line\n"),
    }
    for name, data in made.values():
        (folder / name).write_bytes(data)
    good = {kind: folder / name for kind, (name, _) in made.items()}
    good["engines"] = folder / "engines"
    for name in ("engine", "other"):
        good[name] = good["engines"] / name
        _trex("process", good["onnx"], good[name], "--backend", "simulated", "--device", "A100", "--shapes=x:4x3")
        (good[name] / "model.onnx.engine.monitor.json").write_bytes(TELEMETRY)
    good["built"] = good["engine"] / "model.onnx.engine"
    good["profile"] = next(good["engine"].glob("*.profile.json"))
    good["baselines"], good["store"], good["exported"] = folder / "baselines", folder / "store", folder / "runs.zip"
    _trex("baseline", "add", good["engine"], "--folder", good["baselines"], "--model", "x")
    _trex("store", "add", good["engine"], "--store", good["store"], "--model", "m")
    _trex("store", "export", good["exported"], "--store", good["store"])
    good["run"] = next((good["store"] / "runs").iterdir())
    good["copy"] = good["store"]
    return good


def _trex(*words: object) -> None:
    code = trex_main([*map(str, words), "-o", os.devnull, "-f", "json"])
    assert code == 0, (code, words)


Maker = Callable[[Path, Path], Path]
"""(where it shall be, what usually lies there) → where it is."""


def _content(data: bytes) -> Maker:
    def make(path: Path, _: Path) -> Path:
        path.write_bytes(data)
        return path

    return make


def _of_good(change: Callable[[bytes], bytes]) -> Maker:
    """A change of the file that usually lies there, or of the largest one in its folder."""

    def make(path: Path, good: Path) -> Path:
        files = [good] if good.is_file() else [file for file in good.rglob("*") if file.is_file()]
        path.write_bytes(change(max(files, key=lambda file: file.stat().st_size).read_bytes()))
        return path

    return make


def _named(name: str | bytes) -> Maker:
    """What usually lies there, under another name."""

    def make(path: Path, good: Path) -> Path:
        text = os.fsdecode(name)
        there = path.with_name(text + (path.name if len(os.fsencode(text)) < 100 else ""))
        (shutil.copytree if good.is_dir() else shutil.copyfile)(good, there)
        return there

    return make


def _made(what: Callable[[Path], Any]) -> Maker:
    def make(path: Path, _: Path) -> Path:
        what(path)
        return path

    return make


def _at(address: str) -> Maker:
    return lambda path, good: Path(address)


def _link(path: Path, to: str) -> None:
    path.symlink_to(to)


def _linked_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _sparse(path: Path, head: bytes = b"") -> None:
    path.write_bytes(head)
    os.truncate(path, 1 << 30)


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # addresses of sockets are short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path.name[:80])
    os.chdir(here)
    if len(path.name) > 80:
        path.with_name(path.name[:80]).rename(path)


def _unreadable(path: Path) -> None:
    path.write_bytes(b"{}")
    path.chmod(0)


def _folder_of(name: str, data: bytes, path: Path) -> None:
    path.mkdir()
    (path / name).write_bytes(data)


def _zip(members: dict[str, bytes]) -> Maker:
    return _content(zipped(members))


def _replaced(text: bytes, by: bytes) -> Maker:
    return _of_good(lambda data: data.replace(text, by))


def _cut(share: float, data: bytes) -> bytes:
    return data[: int(len(data) * share)]


def _cyclic() -> bytes:
    from onnx import TensorProto, helper

    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3]) for name in "xy"]
    nodes = [helper.make_node("Add", ["x", "b"], ["a"], "one"), helper.make_node("Add", ["a", "x"], ["b"], "two")]
    nodes += [helper.make_node("Relu", ["y"], ["y"], "self"), helper.make_node("Relu", ["a"], ["a"])]
    data: bytes = helper.make_model(helper.make_graph(nodes, "g", ends[:1], ends[1:])).SerializeToString()
    return data


@cache
def _bomb() -> bytes:
    packed = zlib.compressobj(9, wbits=31)
    return b"".join(packed.compress(piece) for piece in [b"[", *[b" " * 1_000_000] * 300]) + packed.flush()


def _sqlite() -> bytes:
    import sqlite3

    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
        connection.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER)")
        return connection.serialize() if hasattr(connection, "serialize") else b"SQLite format 3\0"


def _deep(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


def _with_numbers(text: bytes, data: bytes) -> bytes:
    return re.sub(rb"(?<=[:,\[] )-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?(?=[,\]}\n])", lambda _: text, data)


_NAMES: tuple[str | bytes, ...] = (
    "a\nb", "\x1b]0;x\x07\x1b[31m", "::error::x", "\n::error::x\n##[error]x", "-", "--help",
    b"\xff\xfe", "n" * 250, " ", "%s{0}$(id)`id`", "\u202e\u2028", "a!b", "*?[a]", "<img src=x onerror=1>",
)  # fmt: skip
_IN_FOLDERS = (
    ("x.graph.json", b"[]"),
    ("y.graph.json", GOOD_GRAPH),
    ("store.json", b"[]"),
    ("manifest.json", b"[]"),
    ("x.onnx", b"x"),
    ("\n::error::\x1b[31m.graph.json", GOOD_GRAPH),
)
_OPTIONS = json.dumps([f"o{number}" for number in range(20_000)]).encode()
STRUCTURES: dict[str, Maker] = {
    "folder": _made(Path.mkdir),
    "folder of folders": _made(lambda path: (path / "a/b/c").mkdir(parents=True)),
    "missing": _made(lambda path: None),
    "missing folder": lambda path, good: path / "a" / "b",
    "/dev/full": _at("/dev/full"),
    "/dev/null": _at("/dev/null"),
    "dangling link": _made(lambda path: path.symlink_to("nowhere")),
    "loop link": _made(lambda path: path.symlink_to(path.name)),
    "link to parent": _made(lambda path: path.symlink_to("..")),
    "socket": _made(_socket),
    "unreadable": _made(_unreadable),
    "file as folder": lambda path, good: _content(b"x")(path, good) / "a",
    "empty path": lambda path, good: Path(),
    "10,000 letters": lambda path, good: Path("n" * 10_000),
    "10,000 folders": lambda path, good: Path("a/" * 10_000),
    **{f"name {name!r}": _named(name) for name in _NAMES},
}
"""What can be instead of a file."""
CONTENTS: dict[str, Maker] = {
    "fifo": _made(os.mkfifo),
    "/dev/zero": _at("/dev/zero"),
    "link to /dev/zero": _made(_linked_to_device),
    "/proc/self/mem": _at("/proc/self/mem"),
    "empty": _content(b""),
    "NUL": _content(b"\0"),
    "newline": _content(b"\n"),
    "BOM": _content(b"\xef\xbb\xbf"),
    "sparse": _made(_sparse),
    "sparse graph": _made(partial(_sparse, head=GOOD_GRAPH)),
    "NULs at the end": _of_good(lambda data: data + bytes(100_000)),
    "NULs in the middle": _of_good(lambda data: data[: len(data) // 2] + bytes(9) + data[len(data) // 2 :]),
    "BOM and good": _of_good(lambda data: b"\xef\xbb\xbf" + data),
    **{
        f"in {name}": _of_good(lambda data, name=name: data.decode("latin-1").encode(name))  # type: ignore[misc]
        for name in ("utf-16", "utf-16-be", "utf-32")
    },
    "CRLF": _replaced(b"\n", b"\r\n"),
    "CR": _replaced(b"\n", b"\r"),
    "twice": _of_good(lambda data: data + data),
    **{f"cut at {share}": _of_good(partial(_cut, share)) for share in (0.1, 0.5, 0.9)},
    "without its end": _of_good(lambda data: data[:-1]),
    "gzip of good": _of_good(gzip.compress),
    "gzip of gzip": _of_good(lambda data: gzip.compress(gzip.compress(data))),
    "cut gzip": _of_good(lambda data: gzip.compress(data)[:-9]),
    "gzip bomb": _made(lambda path: path.write_bytes(_bomb())),
    "zip of good": _of_good(lambda data: zipped({"x.graph.json": data})),
    "zip of a bomb": _zip({"x.graph.json": b"[" + b" " * 30_000_000}),
    "zip of a zip": _of_good(lambda data: zipped({"a.zip": zipped({"x.graph.json": data})})),
    "zip that leads outside": _zip({"../x.graph.json": GOOD_GRAPH, "/etc/x": b"x", "C:\\x.profile.json": b"[]"}),
    "zip of names": _zip({"\x1b[31m::error::.graph.json": GOOD_GRAPH, "\n::error::": b"x", "a" * 5000: b"x"}),
    "empty zip": _zip({}),
    "cut zip": _content(zipped({"x.graph.json": GOOD_GRAPH})[:-30]),
    "deep JSON": _content(_deep(100_000)),
    "deep object": _content(b'{"Layers":' * 50_000 + b"1" + b"}" * 50_000),
    "deep TOML": _content(b"a = " + _deep(50_000)),
    "deep TOML keys": _content(b"[" + b"a." * 20_000 + b"a]\n"),
    **{
        f"JSON {text!r}": _content(text)
        for text in (
            b"[]",
            b"{}",
            b"null",
            b'"x"',
            b"0",
            b"[[]]",
            b"[{}]",
            b"[null]",
            b"1e400",
            b"NaN",
            b"-Infinity",
            b"9" * 5000,
            b'{"Layers": {}}',
            b'{"Layers": null}',
            b'{"a": 1, "a": 2}',
            b'"\\ud800"',
            b'{"schema": 1, "name": [], "version": {}, "Layers": 1}',
            b'{"schema": "trex.monitor/1"}',
        )
    },
    **{
        f"numbers {text!r}": _of_good(partial(_with_numbers, text))
        for text in (b"1e400", b"NaN", b"-1", b'"x"', b"9" * 400, b"null", b"[]", b"{}")
    },
    "surrogates": _of_good(lambda data: data.replace(b'": "', b'": "\\ud800\\u0000\\u001b[31m::error::')),
    "long names": _of_good(lambda data: data.replace(b'"x"', b'"' + b"x" * 10_000_000 + b'"', 1)),
    "one long line": _content(b"x" * 20_000_000),
    "ESC": _content(b"\x1b[31m::error::x\n##[error]y\n" * 9),
    "random bytes": _content(bytes((index * 7919 + index // 251) % 256 for index in range(50_000))),
    "cyclic ONNX": _content(_cyclic()),
    "ONNX": _content(model_bytes()),
    "timing cache": _content(cache_bytes(made_entries())),
    "record": _content(record_text(read_timing_cache(cache_bytes(made_entries()))).encode()),
    "huge cache": _content(b"ptrt" + struct.pack("<IQI", 240, 1 << 62, 0) + bytes(100)),
    "graph": _content(GOOD_GRAPH),
    "profile": _content(b'[{"count": 1}, {"name": "a", "timeMs": 1, "averageMs": 1, "percentage": 100}]'),
    "log": _content(MODERN.encode()),
    "tuning": _content(TUNING.encode()),
    "telemetry": _content(TELEMETRY),
    "device": _content((BUNDLED / "a10.json").read_bytes()),
    "settings": _content(SETTINGS),
    "sweep": _content(SPEC),
    "TOML of other types": _content(b"lint = 1\ncompare = []\naxes = 3\nstore = {}\n[tool]\ntrex = 'x'\n"),
    "TOML of odd values": _content(b"[axes]\nmodel = [1, {}]\nbatch = [-1, nan, 1e400]\n[lint]\nselect = [1]\n"),
    "sweep of 400 million": _content(SPEC.replace(b"[1]", str([*range(20_000)]).encode()) + b"options = " + _OPTIONS),
    "YAML": _content(b"a: &a [x,x]\nb: &b [*a,*a]\nc: !!python/object/apply:os.system ['touch x']\n"),
    "CSV": _content(b'a,b\n"\n=1+1,::error::\n'),
    "sqlite": _content(_sqlite()),
    "nsys-rep": _content(b"NSYSREP\0" + bytes(100)),
    "parquet": _content(b"PAR1" + bytes(40) + struct.pack("<I", 1 << 30) + b"PAR1"),
    "cut parquet": _content(b"PAR1\x15\x04"),
    "pickle": _content(b"cos\nsystem\n(S'touch pwned'\ntR."),
    "engine": _content(b"ftrt" + bytes(20) + bytes((10, 4, 0, 1)) + bytes(1000)),
    "ELF": _content(b"\x7fELF" + bytes(1000)),
    **{f"a folder with {name!r}": _made(partial(_folder_of, name, data)) for name, data in _IN_FOLDERS},
}
"""What can be in a file."""


def trials(good: dict[str, Path], random: Random) -> list[tuple[Place, str]]:
    """Every pair of a place and a kind of odd file; those that resemble earlier ones come later."""
    found = [
        (place, kind)
        for place in places(good)
        for kind in (STRUCTURES if place.is_written else {**STRUCTURES, **CONTENTS})
        if not (place.member and kind.startswith(("name ", "/", "10,000", "missing", "empty path", "file as")))
    ]
    random.shuffle(found)
    seen: set[tuple[str, ...]] = set()

    def resemblance(trial: tuple[Place, str]) -> int:
        place, kind = trial
        keys = {(place.command, place.option, kind), (place.line, kind)} - seen
        seen.update(keys)
        return -len(keys)

    return sorted(found, key=resemblance)


def written(command: str, random: Random, folder: Path) -> list[str]:
    """Words that write what the command makes in one of its formats. The file's ending is the format's name."""
    name = random.choice(DIAGRAM_FORMATS.known_names if command == "draw" else format_names(command))
    return ["-f", name, "-o", str(folder / f"{OUTPUT}.{name}")]


def prepared(place: Place, kind: str, good: dict[str, Path], box: Path) -> list[str]:
    """The command line, with the odd thing in ``box/odd`` and outputs in ``box/out``."""
    odd, out = box / "odd", box / "out"
    odd.mkdir(parents=True)
    out.mkdir()
    make = {**STRUCTURES, **CONTENTS}[kind]
    usual = good[place.good]
    if place.member:
        path = odd / usual.name
        shutil.copytree(usual, path)
        (path / place.member).unlink()
        make(path / place.member, usual / place.member)
    else:
        path = make(odd / usual.name, usual)
    text = "" if kind == "empty path" else str(path)
    if kind == "name '-'":
        text = os.path.relpath(path, box)
    words = {name: str(where) for name, where in good.items()} | {"run": good["run"].name, "out": str(out), "odd": text}
    if "{copy}" in place.line:
        words["copy"] = str(shutil.copytree(good["baselines" if "baseline" in place.line else "store"], box / "copy"))
    return [word.format(**words) for word in place.line.split()]
