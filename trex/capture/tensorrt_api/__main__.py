"""``python -m trex.capture.tensorrt_api``: the collector as trex itself runs it."""

import sys

from trex.capture.tensorrt_api.collecting import main

if __name__ == "__main__":
    sys.exit(main())
