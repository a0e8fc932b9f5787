"""``python -m trex``: the command line."""

import sys

from trex.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
