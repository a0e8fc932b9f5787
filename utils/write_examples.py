#!/usr/bin/env python3
"""Writes the example engines of ``trex/examples`` from their descriptions; ``--check`` only says if they are stale.

The same descriptions always give the same bytes. Exit codes: 0 fresh or written, 1 stale (with ``--check``).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from tests.synthetic.artefacts import artefacts  # noqa: E402
from tests.synthetic.cnn import resnet18_fp16, resnet18_int8  # noqa: E402
from tests.synthetic.transformer import vision_transformer  # noqa: E402

EXAMPLES = REPOSITORY / "trex" / "examples"
QUERIES = 256


def example_files() -> dict[str, bytes]:
    """Path inside ``trex/examples`` → bytes, for every file of every example."""
    engines = (
        (resnet18_fp16(), "10.4"),
        (resnet18_int8(), "8.6"),
        (resnet18_int8(residual_quantizers=True), "8.6"),
        (vision_transformer(), "10.4"),
    )
    files = {}
    for description, version in engines:
        made = artefacts(description, version, queries=QUERIES, generator="utils/write_examples.py")
        files.update({f"{description.name}/{file}": data for file, data in made.items()})
    return files


def stale(files: dict[str, bytes], folder: Path = EXAMPLES) -> list[str]:
    """Files that are missing, different, or left over from an example that is no more."""
    different = [
        name for name, data in files.items() if not (folder / name).is_file() or (folder / name).read_bytes() != data
    ]
    left = [path.relative_to(folder).as_posix() for path in folder.glob("*/*.json")]
    return sorted([*different, *(name for name in left if name not in files)])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when an example is stale")
    options = parser.parse_args(arguments)
    files = example_files()
    outdated = stale(files)
    if options.check:
        print("\n".join(f"stale: {name}" for name in outdated) or "the examples are fresh")
        if outdated:
            print("run: python utils/write_examples.py")
        return int(bool(outdated))
    for name in outdated:
        path = EXAMPLES / name
        if name in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files[name])
        else:
            path.unlink()
    print(f"{len(files)} files, {sum(map(len, files.values())) / 1000:.0f} kB in all, {len(outdated)} of them changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
