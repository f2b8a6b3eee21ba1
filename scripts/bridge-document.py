#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Creates the document that the gateway serves at /doc for an OpenCode 2 instance: the translated part of OpenCode 1.18.33's
document.

    scripts/bridge-document.py OPENAPI.json

OPENAPI.json is the document that OpenCode 1.18.33 serves at /doc. Sources/CLibraries/COpenCode1API/routes.txt lists the
translated routes, and EVENTS lists the translated events. The script writes Sources/CLibraries/COpenCode1API/openapi.json with
one line for each value, so that changes can be reviewed. The gateway serves the document without white space.
"""
import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "Sources/CLibraries/COpenCode1API"
EVENTS = """server.connected server.instance.disposed session.created session.updated session.deleted session.status session.idle
session.error session.diff session.compacted command.executed message.updated message.removed message.part.updated message.part.delta
permission.asked permission.replied question.asked question.replied question.rejected project.updated file.edited
file.watcher.updated vcs.branch.updated pty.created pty.updated pty.exited pty.deleted""".split()
# The identifiers that the gateway accepts in a path.
IDENTIFIER = "[A-Za-z0-9_-]*$"
# Routes with options that OpenCode 2 does not support, and routes whose bodies can name files or directories.
NOT_ALL_TRANSLATED = ("POST /session", "PATCH /session/{sessionID}", "POST /session/{sessionID}/message",
                      "POST /session/{sessionID}/prompt_async", "POST /session/{sessionID}/revert")
NAMING_FILES = ("POST /pty", "POST /session/{sessionID}/message", "POST /session/{sessionID}/prompt_async",
                "POST /session/{sessionID}/command")


def translated():
    """Returns the method and the path of each translated route."""
    lines = [line.split() for line in (FOLDER / "routes.txt").read_text(encoding="utf-8").splitlines()]
    return sorted(words[:2] for words in lines if words[0] != "#" and words[2:] == ["translated"])


def without_texts(value):
    """Returns a part of the document without code samples and without descriptions. Keeps the descriptions of operations and of
    bodies.
    """
    if isinstance(value, list):
        return [without_texts(element) for element in value]
    if not isinstance(value, dict):
        return value
    return {name: without_texts(member) for name, member in value.items()
            if name != "x-codeSamples" and not (name == "description" and isinstance(member, str) and "operationId" not in value
                                                and "content" not in value)}


def references(value, found):
    if isinstance(value, dict):
        if "$ref" in value:
            found.append(value["$ref"].rsplit("/", 1)[1])
        for member in value.values():
            references(member, found)
    elif isinstance(value, list):
        for element in value:
            references(element, found)
    return found


def event_type(schema, schemas):
    while "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
    kind = schema.get("properties", {}).get("type", {})
    return kind.get("const") or (kind.get("enum") or [None])[0]


def only_translated(schema, schemas):
    """Removes the events that the gateway never sends from a union of events."""
    for name in ("anyOf", "oneOf"):
        if name in schema:
            schema[name] = [one for one in schema[name] if event_type(one, schemas) in (*EVENTS, None)]
    return schema


def answer(operation, status, description, *names):
    """Adds schemas to an operation's response with this status."""
    response = operation["responses"].setdefault(status, {"description": description})
    schema = response.setdefault("content", {}).setdefault("application/json", {}).get("schema")
    known = schema.get("anyOf", [schema]) if schema else []
    schemas = known + [one for name in names if (one := {"$ref": f"#/components/schemas/{name}"}) not in known]
    response["content"]["application/json"]["schema"] = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def as_answered(method, path, operation):
    """Adds details that the document of 1.18.33 omits, and the gateway's additional responses."""
    route = f"{method} {path}"
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "path":
            if "pattern" in parameter["schema"]:
                parameter["schema"]["pattern"] += IDENTIFIER
                parameter["schema"]["maxLength"] = 128
        elif (route, parameter["name"]) == ("GET /session", "limit"):
            parameter["schema"] = {"type": "integer", "minimum": 0, "maximum": 2**53 - 1}
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    if body.get("required"):
        operation["requestBody"]["required"] = True
    # OpenCode ignores unknown members.
    body.pop("additionalProperties", None)
    if "400" in operation["responses"]:
        answer(operation, "400", "Bad request", "BadRequestError")
    if any(parameter["name"] == "directory" for parameter in operation.get("parameters", [])):
        answer(operation, "404", "Not found", "NotFoundError")
        answer(operation, "403", "Outside the project", "OutsideProject", *["UnknownError"] * (route in NAMING_FILES))
    if route in NOT_ALL_TRANSLATED:
        answer(operation, "501", "OpenCode 2 has nothing for it", "UnknownError")
    if route == "POST /session/{sessionID}/message":
        answer(operation, "500", "The turn gave no answer", "UnknownError")


def document(source):
    paths = {}
    for method, path in translated():
        if path in source["paths"] and method.lower() in source["paths"][path]:
            paths.setdefault(path, {})[method.lower()] = source["paths"][path][method.lower()]
    for path, operations in paths.items():
        for method, operation in operations.items():
            as_answered(method.upper(), path, operation)
    schemas = source["components"]["schemas"]
    # The format of the gateway's own errors.
    schemas["OutsideProject"] = {"type": "object", "properties": {"detail": {"type": "string"}}, "required": ["detail"]}
    only_translated(schemas["Event"], schemas)
    # Replace the copy of the same events by a reference.
    schemas["GlobalEvent"]["properties"]["payload"] = {"$ref": "#/components/schemas/Event"}
    kept, waiting = {}, references(paths, [])
    while waiting:
        name = waiting.pop()
        if name not in kept:
            kept[name] = schemas[name]
            waiting += references(schemas[name], [])
    info = dict(source["info"], version="1.18.33",
                description="OpenCode 1's interface as the gateway gives it in front of an OpenCode 2.")
    return without_texts({"openapi": source["openapi"], "info": info, "paths": paths,
                          "components": {"schemas": {name: kept[name] for name in sorted(kept)}}})


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    with open(sys.argv[1], encoding="utf-8") as file:
        made = document(json.load(file))
    text = json.dumps(made, indent=1, separators=(",", ":"), ensure_ascii=True)
    (FOLDER / "openapi.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
