"""Every engine over which tests run all plugs: the synthetic ones that can be read, and real builds."""

from tests.real_builds import REAL_BUILDS
from tests.synthetic import CASES

READABLE = [case for case in (*CASES.values(), *REAL_BUILDS) if not case.expect.error]
