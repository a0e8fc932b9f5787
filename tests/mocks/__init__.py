"""Mocks: programs that behave as NVIDIA's do, as far as is known of them, so that nothing here needs a GPU.

``write_trtexec(folder, "10.4")`` (or the fixture ``make_trtexec``) puts an executable ``trtexec`` there that takes the
options of that release, prints its log, fails in its way and exports a small synthetic engine; ``write_model`` writes
what it takes for an ONNX model. Faults are chosen by keyword or by the variable TREX_MOCK: see ``faults``.
"""

from tests.mocks.launcher import RELEASES, write_model, write_trtexec

__all__ = ["RELEASES", "write_model", "write_trtexec"]
