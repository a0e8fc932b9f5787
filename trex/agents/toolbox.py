"""The tools that an agent is offered, in the order in which it should think of them; six, so that it can choose."""

from __future__ import annotations

from trex.agents.tools import compare, explain, findings, inspect, layers, whatif
from trex.core.registry import Plug

TOOLS = {
    module.__name__.rpartition(".")[2]: Plug(module.__name__.rpartition(".")[2], module, module.TOOL)
    for module in (inspect, findings, layers, explain, compare, whatif)
}
