"""Coverage-guided fuzzing of all readers with atheris: any bytes give a plan with Notes or a TrexError.

    pip install atheris
    python -m tests.fuzz.fuzz_readers                        until stopped, or until something is found
    python -m tests.fuzz.fuzz_readers -max_total_time=60     for a minute
    python -m tests.fuzz.fuzz_readers /tmp/crash-0123abcd    once more what was found
    python -m tests.fuzz.fuzz_readers --keep-going=FOUND     goes on, keeps one input per place of failure in a folder

Other options are libFuzzer's (``-help=1`` lists them). The first byte of an input chooses the door (``doors.DOORS``),
the second whether everything is built on what was read, the rest is what comes in. The seeds are made from the
synthetic cases, in a temporary folder; half of the mutations change the structure of a JSON document, not its bytes.
A finding is fixed where it belongs, and its smallest form goes into ``tests/test_hostile_input.py``.
"""

from __future__ import annotations

import json
import sys
import tempfile
import traceback
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from random import Random
from zipfile import ZIP_DEFLATED, ZipFile

try:
    import atheris
except ImportError:
    sys.exit("the fuzzer needs atheris: pip install atheris")

with atheris.instrument_imports(include=["trex"]):
    from tests.fuzz import doors
from tests.fuzz.mutations import mutated
from tests.synthetic import CASES

KEEP_GOING = "--keep-going="
HEAD = 2
LONGEST_SEED = 20_000
THOROUGH_EVERY = 32
FOUND_HERE = f"-artifact_prefix={tempfile.gettempdir()}/"
LIBFUZZER_DEFAULTS = (FOUND_HERE, "-timeout=30", "-rss_limit_mb=4096", "-max_len=40000", "-print_final_stats=1")

DOOR_NUMBER = {door.__name__: number for number, door in enumerate(doors.DOORS)}


def run_one(data: bytes) -> None:
    """One input through its door."""
    if len(data) < HEAD:
        return
    door = doors.DOORS[data[0] % len(doors.DOORS)]
    doors.through(door, data[HEAD:], data[1] % THOROUGH_EVERY == 0)


def mutator(data: bytes, max_size: int, seed: int) -> bytes:
    """A change of structure where the input is JSON, every other time; else libFuzzer's change of bytes."""
    random = Random(seed)
    if random.random() < 0.5:
        try:
            document = json.loads(data[HEAD:])
            changed = json.dumps(mutated(document, random, random.randint(1, 3)), ensure_ascii=False)
        except (ValueError, RecursionError):
            pass
        else:
            if random.random() < 0.02:
                data = bytes([random.randrange(256), random.randrange(256)])
            return (data[:HEAD] + changed.encode("utf-8", "surrogatepass"))[:max_size]
    mutant: bytes = atheris.Mutate(data, max_size)
    return mutant


def seeds() -> Iterator[bytes]:
    """Inputs to begin with: every small file of the synthetic cases, at each door it may come in by."""
    for case in CASES.values():
        for name, data in case.files.items():
            if len(data) <= LONGEST_SEED:
                for door in _doors_for(name):
                    yield bytes([DOOR_NUMBER[door], 1]) + data
    for case in list(CASES.values())[:3]:
        packed = BytesIO()
        with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
            for name, data in case.files.items():
                archive.writestr(name, data)
        yield bytes([DOOR_NUMBER["archive"], 1]) + packed.getvalue()
    for word in _words():
        yield bytes([DOOR_NUMBER["words"], 1]) + word.encode("utf-8", "surrogatepass")


def _doors_for(name: str) -> tuple[str, ...]:
    if name.endswith((".gz", ".zst")):
        return ("compressed", "files")
    if "metadata" in name:
        return ("metadata", "slots")
    for kind in ("profile", "timing"):
        if kind in name and name.endswith(".json"):
            return (kind, "slots")
    if name.endswith(".json"):
        return ("graph", "string", "files", "texts")
    return ("log", "inspector", "rows", "graph_or_text")


def _words() -> Iterator[str]:
    for case in CASES.values():
        for data in case.files.values():
            try:
                document = json.loads(data)
            except ValueError:
                continue
            layers = document.get("Layers") if isinstance(document, dict) else None
            for layer in layers[:4] if isinstance(layers, list) else ():
                if isinstance(layer, dict):
                    yield from (str(layer.get(key, ""))[:400] for key in ("Name", "TacticName", "Metadata"))


class Collector:
    """Keeps one input per place of failure, and lets the fuzzer go on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seen: set[str] = set()
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, data: bytes) -> None:
        try:
            run_one(data)
        except Exception as error:
            frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/trex/" in frame.filename]
            frame = (frames or traceback.extract_tb(error.__traceback__))[-1]
            name = f"{type(error).__name__}-{Path(frame.filename).stem}-{frame.lineno}"
            if isinstance(error, AssertionError):
                name += f"-{traceback.extract_tb(error.__traceback__)[-1].lineno}"
            if name not in self.seen:
                self.seen.add(name)
                Path(self.folder, name).write_bytes(data)
                print(f"FOUND {name}: {str(error)[:200]!r}", flush=True)


def main(arguments: list[str]) -> None:
    options = [argument for argument in arguments if argument.startswith("-") and not argument.startswith(KEEP_GOING)]
    inputs = [argument for argument in arguments if not argument.startswith("-")]
    kept = next((argument[len(KEEP_GOING) :] for argument in arguments if argument.startswith(KEEP_GOING)), None)
    target = run_one if kept is None else Collector(Path(kept))
    with tempfile.TemporaryDirectory() as folder:
        if not inputs:
            for number, seed in enumerate(seeds()):
                Path(folder, f"seed-{number:04}").write_bytes(seed)
            inputs = [folder]
        atheris.Setup([sys.argv[0], *LIBFUZZER_DEFAULTS, *options, *inputs], target, custom_mutator=mutator)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
