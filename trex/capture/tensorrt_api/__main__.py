"""``python -m trex.capture.tensorrt_api``: the collector as trex runs it."""

import sys

from trex.capture.tensorrt_api.collection import main

if __name__ == "__main__":
    sys.exit(main())
