"""What a function shows and prints → outputs of an Output widget.

An Output widget can also listen while the function runs; what runs notebooks without a browser (nbclient) then loses
replies of the kernel now and then, and waits for them until its time is up.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Any

from trex.core.errors import TrexError, missing_extra

Output = dict[str, Any]


def shown_within(widget: Any, draw: Callable[[], Any]) -> None:
    """Replaces what an Output widget holds by what ``draw`` shows; a TrexError is shown as its sentence."""
    widget.outputs = outputs_of(draw)


def outputs_of(draw: Callable[[], Any]) -> tuple[Output, ...]:
    """What was printed, then what was displayed, as a notebook's file holds it."""
    try:
        from IPython.utils.capture import capture_output
    except ImportError as error:
        raise missing_extra("IPython", "notebook", "a menu in a notebook") from error
    with capture_output() as caught:
        try:
            draw()
        except TrexError as error:
            print(error)
    streams = (("stdout", caught.stdout), ("stderr", caught.stderr))
    outputs: list[Output] = [{"output_type": "stream", "name": name, "text": text} for name, text in streams if text]
    for item in caught.outputs:
        data = {kind: _text(value) for kind, value in item.data.items()}
        outputs.append({"output_type": "display_data", "data": data, "metadata": item.metadata or {}})
    return tuple(outputs)


def _text(value: Any) -> Any:
    return b64encode(value).decode("ascii") if isinstance(value, bytes) else value
