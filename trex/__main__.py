"""The program: ``trex``, and ``python -m trex``."""

import sys


def main() -> int:
    try:  # Ctrl-C may come before anything is there to handle it
        from trex.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            print("trex: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
