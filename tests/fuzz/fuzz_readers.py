"""Coverage-guided fuzzing of all readers with atheris: any bytes give a plan with Notes or a TrexError.

    pip install atheris
    python -m tests.fuzz.fuzz_readers                        until stopped, or until something is found
    python -m tests.fuzz.fuzz_readers -max_total_time=60     for a minute
    python -m tests.fuzz.fuzz_readers --target=logs          the doors of one target (``targets.TARGETS``)
    python -m tests.fuzz.fuzz_readers /tmp/crash-0123abcd    once more what was found
    python -m tests.fuzz.fuzz_readers --keep-going=FOUND     goes on, keeps one input per place of failure in a folder

Other options are libFuzzer's (``-help=1`` lists them). The first byte of an input chooses the door of the target, the
second whether everything is built on what was read, the rest is what comes in. The seeds (``targets.seeds``) lie in a
temporary folder; half of the mutations change the structure of a JSON document, not its bytes. A finding is fixed where
it belongs, and its smallest form goes into ``tests/test_hostile_input.py``.
"""

from __future__ import annotations

import json
import sys
import tempfile
import traceback
from pathlib import Path
from random import Random

try:
    import atheris
except ImportError:
    sys.exit("the fuzzer needs atheris: pip install atheris")

with atheris.instrument_imports(include=["trex"]):
    from tests.fuzz import doors, targets
from tests.fuzz.mutations import mutated

KEEP_GOING, TARGET = "--keep-going=", "--target="
HEAD = 2
THOROUGH_EVERY = 32
FOUND_HERE = f"-artifact_prefix={tempfile.gettempdir()}/"
LIBFUZZER_DEFAULTS = (FOUND_HERE, "-timeout=30", "-rss_limit_mb=4096", "-max_len=40000", "-print_final_stats=1")


def run_one(data: bytes, chosen: tuple[doors.Door, ...] = targets.DOORS) -> None:
    """One input through its door."""
    if len(data) < HEAD:
        return
    doors.through(chosen[data[0] % len(chosen)], data[HEAD:], data[1] % THOROUGH_EVERY == 0)


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


class Collector:
    """Keeps one input per place of failure, and lets the fuzzer go on."""

    def __init__(self, folder: Path, chosen: tuple[doors.Door, ...]) -> None:
        self.folder, self.chosen = folder, chosen
        self.seen: set[str] = set()
        folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, data: bytes) -> None:
        try:
            run_one(data, self.chosen)
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
    options = [argument for argument in arguments if argument.startswith("-")]
    inputs = [argument for argument in arguments if not argument.startswith("-")]
    own = {name: _value(options, name) for name in (KEEP_GOING, TARGET)}
    chosen = targets.TARGETS[own[TARGET]] if own[TARGET] else targets.DOORS
    kept = own[KEEP_GOING]
    options = [option for option in options if not option.startswith(tuple(own))]
    collector = Collector(Path(kept), chosen) if kept else None
    with tempfile.TemporaryDirectory() as folder:
        if not inputs:
            for number, (door, seed) in enumerate(targets.seeds(chosen)):
                head = bytes([chosen.index(door), THOROUGH_EVERY + 1])
                Path(folder, f"seed-{number:04}").write_bytes(head + seed)
            inputs = [folder]
        atheris.Setup(
            [sys.argv[0], *LIBFUZZER_DEFAULTS, *options, *inputs],
            collector or (lambda data: run_one(data, chosen)),
            custom_mutator=mutator,
        )
        atheris.Fuzz()


def _value(options: list[str], name: str) -> str:
    return next((option[len(name) :] for option in options if option.startswith(name)), "")


if __name__ == "__main__":
    main(sys.argv[1:])
