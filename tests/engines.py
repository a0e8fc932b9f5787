"""Every engine over which tests run all plugs: the synthetic ones that can be read, real builds, and reported ones."""

from tests.real_builds import REAL_BUILDS
from tests.reported import REPORTED
from tests.synthetic import CASES

READABLE = [case for case in (*CASES.values(), *REAL_BUILDS, *REPORTED) if not case.expect.error]
