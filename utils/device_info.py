#!/usr/bin/env python3
"""Writes the properties of this machine's GPUs as JSON; a thin launcher.

python utils/device_info.py device.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from trex.capture.device_info import device_info
from trex.cli.console import read_to_the_end
from trex.core.errors import TrexError

__all__ = ["device_info"]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("output", help="the JSON file to write")
    try:
        print(f"Created {device_info(parser.parse_args(argv).output)}")
    except TrexError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    with read_to_the_end():
        sys.exit(main())
