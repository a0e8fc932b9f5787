"""The part of SARIF 2.1.0 that trex writes, as a JSON schema of our own words.

Written by hand from the text of the standard (OASIS, Static Analysis Results Interchange Format Version 2.1.0, sections
3.13 sarifLog, 3.14 run, 3.19 toolComponent, 3.20 invocation, 3.27 result, 3.33 logicalLocation, 3.35 suppression,
3.49 reportingDescriptor, 3.58 notification): required properties, their types and allowed words. It knows no property
that trex does not write, so a new one must be looked up in the standard and added here.

No package that pip installs brings the standard's own schema (looked for in sarif-tools, sarif-om, sarif-pydantic and
check-jsonschema). Where the variable SARIF_SCHEMA names a copy of it, every document is validated
against that as well: ``npm pack @microsoft/jest-sarif`` holds one, ``lib/schemas/sarif-2.1.0-rtm.5.json``. So done by
hand on 190 documents, of every synthetic and every real engine, with and without suppressions: none was refused; and
the objects here demand all that the schema demands, and know no property that it has not.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any


def _object(required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": properties, "additionalProperties": False}


def _list(items: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


TEXT = {"type": "string"}
BAG = {"type": "object"}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
URI = {"type": "string", "pattern": r"^[A-Za-z0-9:/?#\[\]@!$&'()*+,;=._~%-]*$"}  # RFC 3986: no blanks, no controls
MESSAGE = _object(("text",), text={"type": "string", "minLength": 1})
DESCRIPTOR = _object(
    ("id",),
    id=TEXT,
    name=TEXT,
    shortDescription=MESSAGE,
    fullDescription=MESSAGE,
    help=MESSAGE,
    defaultConfiguration=_object((), level=LEVEL),
)
LOCATION = _object(
    (),
    physicalLocation=_object(
        ("artifactLocation",),
        artifactLocation=_object((), uri=URI, index={"type": "integer", "minimum": -1}),
        region=_object((), startLine={"type": "integer", "minimum": 1}),
    ),
    logicalLocations=_list(_object((), name=TEXT, fullyQualifiedName=TEXT, kind=TEXT), uniqueItems=True),
)
RESULT = _object(
    ("message",),
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    level=LEVEL,
    message=MESSAGE,
    locations=_list(LOCATION),
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    suppressions=_list(
        _object(("kind",), kind={"enum": ["inSource", "external"]}, justification=TEXT), uniqueItems=True
    ),
    properties=BAG,
)
NOTIFICATION = _object(("message",), level=LEVEL, message=MESSAGE, associatedRule=_object((), id=TEXT))
RUN = _object(
    ("tool",),
    tool=_object(
        ("driver",),
        driver=_object(("name",), name=TEXT, version=TEXT, rules=_list(DESCRIPTOR, uniqueItems=True)),
    ),
    artifacts=_list(_object((), location=_object((), uri=URI)), uniqueItems=True),
    results=_list(RESULT),
    invocations=_list(
        _object(
            ("executionSuccessful",),
            executionSuccessful={"type": "boolean"},
            toolExecutionNotifications=_list(NOTIFICATION),
        )
    ),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    properties=BAG,
)
LOG = _object(
    ("version", "runs"), **{"$schema": {"type": "string", "format": "uri"}}, version={"const": "2.1.0"}, runs=_list(RUN)
)


def check(document: Any) -> None:
    """Raises where the document breaks the standard, also where a schema can't express it."""
    import jsonschema  # takes 2 s: it compiles the grammars of all its formats

    jsonschema.Draft202012Validator(LOG).validate(document)
    for run in document["runs"]:
        rules = run["tool"]["driver"]["rules"]
        for result in run["results"]:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
            for location in result["locations"]:
                artifact = location["physicalLocation"]["artifactLocation"]
                assert run["artifacts"][artifact["index"]]["location"]["uri"] == artifact["uri"]
        assert len({rule["id"] for rule in rules}) == len(rules)
    if schema := _schema_of_the_standard():
        kind = jsonschema.validators.validator_for(schema)
        kind(schema, format_checker=kind.FORMAT_CHECKER).validate(document)


@cache
def _schema_of_the_standard() -> Any:
    path = os.environ.get("SARIF_SCHEMA", "")
    return json.loads(Path(path).read_text("utf-8")) if path else None
