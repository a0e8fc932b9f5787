"""Test cases → JUnit XML, as CI servers read it; text from an engine cannot end an element."""

from __future__ import annotations

from collections.abc import Iterable

from trex.core.printable import printable
from trex.export.escape import xml_text


def suite_xml(program: str, title: str, cases: Iterable[str]) -> str:
    """One suite of cases with their counts. program: ``trex lint``. title: what was tested."""
    cases = [*cases]
    counts = {
        "tests": len(cases),
        "failures": sum("<failure" in case for case in cases),
        "errors": sum("<error" in case for case in cases),
        "skipped": sum("<skipped" in case for case in cases),
    }
    numbers = " ".join(f'{name}="{number}"' for name, number in counts.items())
    name = attribute(f"{program} {title}")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="{attribute(program)}" {numbers}>\n<testsuite name="{name}" {numbers}>\n'
        + "".join(cases)
        + "</testsuite>\n</testsuites>\n"
    )


def case_xml(of: str, name: str, body: str = "") -> str:
    """A case that passed unless its body says otherwise. of: the class, below ``trex``. body: XML."""
    head = f'<testcase classname="trex.{attribute(of)}" name="{attribute(name)}"'
    return f"{head}>{body}</testcase>\n" if body else f"{head}/>\n"


def attribute(text: str) -> str:
    """The text as a quoted attribute's value, control characters as escapes."""
    return xml_text(printable(text))
