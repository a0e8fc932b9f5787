"""Random commands on damaged folders of real engines, as a user types them: an answer or a clear error, and no harm.

    python -m tests.fuzz.commands --seconds 7200 --seed 1 --engines ../shared/engines --found FOLDER
    python -m tests.fuzz.commands --odd-files --seconds 7200

Each command runs in a process of its own. It must end in time and memory with a documented exit code, print nothing
that a terminal or a CI log obeys, print JSON that fits its schema, leave its inputs as they were, and write whole files
or none. What breaks this is printed with the command, and its folder is kept.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import importlib
import io
import json
import os
import re
import resource
import shlex
import shutil
import signal
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from pkgutil import walk_packages
from random import Random
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pyarrow.parquet

import trex
from tests.diagram_files import READERS, read_png
from tests.fuzz import odd_files
from tests.fuzz.doors import check_csv, check_inert, check_json
from tests.fuzz.mutations import mutated
from trex.cli.command import INTERRUPTED
from trex.cli.main import main as trex_main

SECONDS = 120
MEMORY_MB = 1500
ADDRESSES = 3 << 30
"""Bytes of addresses that a command may take beyond those of this process."""
EXIT_CODES = (0, 1, 2, 3)
_WAITING = ("serve", "watch")
"""Commands that end when they are told to."""
_SAYS_WHY = ("compare", "process")
"""Commands whose document says why they ended with 2: two models, a failed build."""
LONGEST_ERROR = 6000
# Longer JSON takes the validator minutes.
LONGEST_CHECKED = 1_000_000
# What commands import when they need it: imported once, not in every process.
_HEAVY = ("pandas", "onnx", "plotly.graph_objects", "xlsxwriter", "rich.console", "rich.table")
_OBEYED = re.compile(r"^(?:::|##\[)", re.M)
_WORDS = (
    "", " ", "-1", "0", "1e999", "nan", "-", "--", "x" * 5000, "../..", "/dev/null", "$(id)", "a\nb", "\x1b[31m",
    "=1+1", "::error::x", "<script>alert(1)</script>", "99999999999999999999", "latency.avg_time > 0.01", "(", "*",
    "Name == 'x'", "Convolution", "type", "T4", "A100", "h100", "conv1", "é\u202e", "[", "a=b=c", "4611686018427387904",
)  # fmt: skip
_COMMANDS = {
    "summary": ("-n W", "-gt", "-sk latency", "-v", "--profile-id W", "--fields W", "--limit W", "--svg F.svg"),
    "layers": ("-q W", "-t W", "-s W", "-n W", "-c W", "-a", "-t Convolution", "-s latency.avg_time", "--limit W"),
    "draw": ("-q W", "-b W,2", "--between W,W", "--hottest W", "--color-by bound", "--color-by findings", "--module W"),
    "report": ("--device W", "-n W", "--colors safe", "--redact"),
    "lint": ("--select W", "--ignore W", "--rule-limit W=1", "--suppress W", "--device W", "--all", "-e", "--onnx P"),
    "perf": ("-s W", "--device W", "-n W", "-e", "--onnx P", "--shapes max", "--device A100"),
    "qdq": ("--onnx P",),
    "compare": (
        "P",
        "--vs P",
        "--strict",
        "--fail-on W",
        "--fail-on latency>5%",
        "--best-of-each F.json",
        "-e",
        "-n W",
    ),
    "doctor": ("P",),
    "whatif": ("--batch W", "--device W", "--batch 4", "--quantize"),
    "explain": ("W", "-l"),
    "baseline": (),
}
_FORMATS = ("html", "md", "json", "csv", "svg", "xlsx", "txt", "dot", "graphml", "png", "zip", "junit", "sarif", "W")


def commands(folder: Path, others: Path, random: Random) -> list[str]:
    """One command line about ``folder``."""
    name = random.choice(list(_COMMANDS))

    def word(text: str) -> str:
        text = text.replace("F", str(folder.parent / "out" / "f")) if "F." in text else text
        text = str(random.choice((folder, others, *folder.iterdir()))) if text == "P" else text
        return re.sub(r"\bW\b", lambda _: random.choice(_WORDS), text)

    line = [name]
    if name == "baseline":
        line += [random.choice(("add", "update", "list", "add"))]
    line += [str(random.choice((folder, folder, folder, *folder.iterdir())))]
    for option in random.sample(_COMMANDS[name], k=min(len(_COMMANDS[name]), random.choice((0, 0, 1, 1, 2, 3)))):
        line += [word(part) for part in option.split(" ")]
    if name == "baseline":
        line += ["--folder", str(folder.parent / "out")]
    kind = random.randrange(5)
    if kind == 0:
        line += ["--json"]
    elif kind < 3:
        line += ["-o", str(folder.parent / "out" / f"o.{word(random.choice(_FORMATS))[:40]}".replace("\0", ""))]
    return line


def damage(folder: Path, random: Random) -> str:
    """Changes some files of the folder; says which."""
    done = []
    for path in random.sample(
        sorted(folder.iterdir()), k=min(len(list(folder.iterdir())), random.choice((0, 1, 1, 2)))
    ):
        data, how = path.read_bytes(), random.randrange(8)
        if how < 3 and path.suffix == ".json" and len(data) < 3_000_000:
            try:
                data = json.dumps(mutated(json.loads(data), random, random.choice((1, 1, 3, 9)))).encode()
            except ValueError:
                continue
        elif how == 3:
            data = data[: random.randrange(len(data) + 1)]
        elif how == 4:
            changed = bytearray(data or b"x")
            for _ in range(random.choice((1, 5, 50))):
                changed[random.randrange(len(changed))] = random.randrange(256)
            data = bytes(changed)
        elif how == 5:
            old = random.choice((b'"Name"', b'"name"', b"averageMs", b"Half", b"[", b":"))
            data = data.replace(old, random.choice((b'"\\u001b[31m::error::"', b"", old * 2, b'"Layers"')), 3)
        elif how == 6:
            data = data + data
        elif how == 7:
            # Names that a terminal, a page, a spreadsheet or a CI log would obey, the same in every file.
            for other in folder.glob("*.json"):
                text = other.read_bytes().replace(b'"conv', b'"::error::<img src=x>\\u001b]0;\\u202e=1+1')
                other.write_bytes(text)
            done.append("names")
            continue
        path.write_bytes(data)
        done.append(f"{path.name}:{how}")
    return " ".join(done)


def contents(folder: Path) -> dict[str, str]:
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


def states(*folders: Path) -> dict[str, tuple[int, ...]]:
    """What a change of any file there changes."""
    found: dict[str, tuple[int, ...]] = {}
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            state = path.lstat()
            found[str(path)] = (state.st_mode, state.st_size, state.st_mtime_ns, state.st_ino)
    return found


def run(
    line: list[str], folder: Path, seconds: int = SECONDS, ending: int = signal.SIGKILL
) -> tuple[int | str, float, float, str, str]:
    """Exit code or signal, seconds, MB, and what was printed. ending: what it gets after ``seconds``."""
    started = time.monotonic()
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    child = os.fork()
    if not child:
        gc.freeze()  # databases that end here would wait for threads of the parent
        os.chdir(folder.parent)
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start what is in the background without
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(folder.parent / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        assert sys.__stdout__ is not None and sys.__stderr__ is not None
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__  # pytest has put others there
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (taken + ADDRESSES, taken + ADDRESSES))
        code = 70
        try:
            code = trex_main(line)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 71
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    endings = iter((ending, signal.SIGKILL))

    def end(*_: object) -> None:
        os.killpg(child, next(endings, signal.SIGKILL))
        signal.alarm(5)

    signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    _, status, usage = os.wait4(child, 0)
    signal.alarm(0)
    ended = os.WEXITSTATUS(status) if os.WIFEXITED(status) else f"signal {os.WTERMSIG(status)}"
    out, err = ((folder.parent / name).read_bytes().decode("utf-8", "replace") for name in ("stdout", "stderr"))
    return ended, time.monotonic() - started, usage.ru_maxrss / 1024, out, err


def complaints(
    line: list[str],
    folder: Path,
    before: dict[str, Any],
    schemas: dict[str, jsonschema.Draft202012Validator],
    now: Callable[[], dict[str, Any]] | None = None,
) -> Iterator[str]:
    """What is wrong with how the command ended. before, now: the inputs."""
    waits = line[0] in _WAITING
    code, seconds, megabytes, out, err = run(line, folder, *((3, signal.SIGINT) if waits else ()))
    if code not in EXIT_CODES and not (waits and code == INTERRUPTED):
        yield f"exit code {code}"
    if seconds > 60:
        yield f"{seconds:.0f} s"
    if megabytes > MEMORY_MB:
        yield f"{megabytes:.0f} MB"
    for word in ("Traceback", "Warning:", "AssertionError"):
        if word in err:
            yield f"{word}: {err.strip().splitlines()[-1][:200]}"
    if code == 2 and len(err) > LONGEST_ERROR:
        yield f"an error of {len(err)} characters"
    if code == 2 and not err.strip() and line[0] not in _SAYS_WHY:
        yield "an error without words"
    if _OBEYED.search(out + "\n" + err) and "github" not in " ".join(line):
        yield "a line that a CI log obeys"
    for text, what in ((out, "stdout"), (err, "stderr")):
        try:
            check_inert(text, what)
        except AssertionError as error:
            yield f"not inert: {str(error)[:200]}"
    if (now or partial(contents, folder))() != before:
        yield "the inputs changed"
    if "--json" in line and code in (0, 1, 3):
        yield from _checked(out.encode(), "json")
        if "--fields" not in line and len(out) < LONGEST_CHECKED:
            yield from _misfits(out, schemas[line[0]])
    for path in (folder.parent / "out").rglob("*"):
        if path.is_file():
            yield from _checked(path.read_bytes(), path.suffix[1:])
            if code == 2 and path.stem == odd_files.OUTPUT and line[0] not in _SAYS_WHY:
                yield f"{path.name} in spite of an error"
            if path.stat().st_size == 0:
                yield f"an empty file {path.name}"
        if path.name.endswith((".tmp", ".part")):
            yield f"left {path.name}"


def _checked(data: bytes, kind: str) -> Iterator[str]:
    try:
        if kind in ("json", "sarif"):
            check_json(data)
        elif kind == "csv":
            check_csv(data)
        elif kind in ("svg", "graphml", "junit"):
            ElementTree.fromstring(data)
        elif kind in READERS:
            READERS[kind](data)
        elif kind in ("notebook", "trace"):
            json.loads(data)
        elif kind == "xlsx":
            with zipfile.ZipFile(io.BytesIO(data)) as book:
                for name in book.namelist():
                    ElementTree.fromstring(book.read(name))
        elif kind == "parquet":
            pyarrow.parquet.read_table(io.BytesIO(data))
        elif kind == "pdf" and not (data.startswith(b"%PDF-") and data.rstrip().endswith(b"%%EOF")):
            yield "no whole PDF"
        elif kind == "png":
            read_png(data)
        elif kind == "html" and not data.rstrip().endswith(b"</html>"):
            yield "no whole page"
        if kind == "html" and b"<img src=x" in data:
            yield "markup in a page"
    except (AssertionError, ValueError, KeyError, zipfile.BadZipFile, ElementTree.ParseError) as error:
        yield f"{kind}: {str(error)[:200]}"


def _misfits(text: str, schema: jsonschema.Draft202012Validator) -> Iterator[str]:
    try:
        error = jsonschema.exceptions.best_match(schema.iter_errors(json.loads(text)))
    except ValueError as no_json:
        yield f"json: {no_json}"
    else:
        if error is not None:
            yield f"schema: {error.json_path} {error.message[:200]}"


def schemas_of(names: Iterable[str], folder: Path) -> dict[str, jsonschema.Draft202012Validator]:
    """What `trex schema` says of every command's JSON."""
    found = {}
    for name in names:
        path = folder / f"{name}.schema.json"
        with contextlib.redirect_stdout(None):
            trex_main(["schema", name, "-o", str(path)])
        found[name] = jsonschema.Draft202012Validator(json.loads(path.read_bytes()))
    return found


def try_odd_files(
    seconds: float, seed: int, most: int | None = None, part: int = 0, parts: int = 1, first: int = 0
) -> int:
    """Runs at most ``most`` of ``odd_files.trials``; prints each kind of complaint once. part: which of so many parts
    of them. first: how many of the part an earlier run has done.
    """
    end, counts, known = time.monotonic() + seconds, Counter[str](), set[str]()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve()
        good = odd_files.good_files(root / "good")
        chosen = odd_files.trials(good, Random(seed))[part::parts][first:][:most]
        schemas = schemas_of({place.command for place, _ in chosen}, root)
        counts["of"] = len(chosen)
        for index, (place, kind) in enumerate(chosen, first):
            if time.monotonic() > end:
                print(f"goes on with --from {index}", flush=True)
                break
            random, box = Random(f"{seed} {index}"), root / "box"
            line = odd_files.prepared(place, kind, good, box)
            if line[0] not in (*_WAITING, "mcp") and not {"-f", "--output"} & {*place.line.split()}:
                line += random.choice((["--json"], [], odd_files.written(line[0], random, box / "out")))
            watched = partial(states, root / "good", *(() if place.is_written else (box / "odd",)))
            for words in complaints(line, box / "odd", watched(), schemas, watched):
                counts["complaints"] += 1
                key = f"{place.line}: {re.sub(r'[0-9]+', '#', words)[:120]}"
                if key not in known:
                    known.add(key)
                    print(f"{kind[:60]!r} in {place}: {words}\n  trex {shlex.join(line)[:1000]}", flush=True)
            counts["commands"] += 1
            if not counts["commands"] % 200:
                print(
                    dict(counts), f"to {index}, {time.monotonic() - end + seconds:.0f} s", file=sys.stderr, flush=True
                )
            shutil.rmtree(box)
    print(dict(counts), f"{len(known)} kinds", flush=True)
    return 1 if known else 0


def try_damaged_folders(sources: Path, found: Path, seconds: float, random: Random) -> int:
    """Six commands on each of at least one damaged copy of an engine's folder. found: where those that broke a promise
    are kept.
    """
    end, counts, known = time.monotonic() + seconds, Counter[str](), set[str]()
    found.mkdir(parents=True, exist_ok=True)
    engines = sorted(path.resolve() for path in sources.iterdir() if path.is_dir())
    with tempfile.TemporaryDirectory() as name:
        schemas = schemas_of(_COMMANDS, Path(name))
    while not counts or time.monotonic() < end:
        with tempfile.TemporaryDirectory() as name:
            source, folder = random.choice(engines), Path(name, random.choice(("in", "in", "in put", "-in", "$(in)")))
            folder.mkdir()
            for path in source.iterdir():
                if path.is_file() and path.name != "README.md":
                    shutil.copyfile(path, folder / path.name)
            damaged = damage(folder, random)
            before = contents(folder)
            for _ in range(6):
                (Path(name) / "out").mkdir(exist_ok=True)
                line = [word.replace("\0", "") for word in commands(folder, random.choice(engines), random)]
                wrong = list(complaints(line, folder, before, schemas))
                counts["commands"] += 1
                shutil.rmtree(Path(name) / "out")
                for words in wrong:
                    counts["complaints"] += 1
                    key = f"{line[0]}: {re.sub(r'[0-9]+', '#', words)[:90]}"
                    if key in known:
                        continue
                    known.add(key)
                    kept = found / f"{len(known)}"
                    shutil.copytree(folder, kept, dirs_exist_ok=True)
                    print(f"{kept}: {words}\n  {source.name} {damaged}\n  trex {shlex.join(line)[:1000]}", flush=True)
            counts["folders"] += 1
    print(dict(counts), f"{len(known)} kinds", flush=True)
    return 1 if known else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engines", type=Path, help="folder with one folder for each engine")
    parser.add_argument("--odd-files", action="store_true", help="odd files in every place that takes a path, instead")
    parser.add_argument("--most", type=int, help="run at most so many of the odd files' commands")
    parser.add_argument("--part", default="0/1", help="which part of the odd files, for several processes")
    parser.add_argument("--from", type=int, default=0, dest="first", help="where an earlier run of the part ended")
    parser.add_argument("--found", type=Path, help="where folders that broke a promise are kept")
    given = parser.parse_args()
    random = Random(given.seed)
    modules = [module.name for module in walk_packages(trex.__path__, "trex.")] if given.seconds > SECONDS else []
    for module in (*_HEAVY, *modules):
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    if given.odd_files:
        part, parts = map(int, given.part.split("/"))
        return try_odd_files(given.seconds, given.seed, given.most, part, parts, given.first)
    if given.engines is None or given.found is None:
        parser.error("damaged folders need --engines and --found")
    return try_damaged_folders(given.engines, given.found, given.seconds, random)


if __name__ == "__main__":
    sys.exit(main())
