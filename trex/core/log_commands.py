"""Text for another program → the same text without commands to whoever shows it as a log.

CI systems obey what stands in the output of a job, so a layer's name could set a variable or hide a failure. GitHub
reads ``::error …`` at the start of a line, blanks before it included, and ``##[error]`` anywhere; Azure ``##vso[…]``
and TeamCity ``##teamcity[…]``; GitLab ``section_start:…``. Sources: the documentation of each, and GitHub's
open-source runner (ActionCommand.cs). A backslash breaks each of them; JSON and XML get an escape of their own, which
a parser reads as the original text.
"""

from __future__ import annotations

import re

_AT_START = re.compile(r"(?:^|(?<=\r))([^\S\n\r]*)::", re.MULTILINE)
_ANYWHERE = re.compile(r"(?<=#)#(?=[\w-]*\[)|(?<=section)_(?=(?:start|end):)")


def without_log_commands(text: str, may_annotate: bool = False) -> str:
    """The text with every such command broken. may_annotate: the text's own lines are commands of GitHub."""
    if not may_annotate and "::" in text:
        text = _AT_START.sub(r"\1\\::", text)
    if "##" in text or "section_" in text:
        first = text.lstrip()[:1]
        form = "\\u{:04x}" if first in ("{", "[") else "&#{};" if first == "<" else "\\{:c}"
        text = _ANYWHERE.sub(lambda match: form.format(ord(match[0])), text)
    return text
