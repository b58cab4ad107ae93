# SPDX-License-Identifier: MIT
"""Validates JSON profiles against docs/profile.schema.json: validate.py SCHEMA FILE...

Implements the JSON Schema keywords that the schema uses and fails on any other, so that none is ignored.
If the module jsonschema is installed, it checks too. Prints violations; the exit status is 1 if there are any.
"""
import json
import re
import sys

KNOWN = {"$schema", "title", "description", "$defs", "type", "properties", "required", "items", "prefixItems",
         "minItems", "minimum", "enum", "const", "pattern", "anyOf", "allOf", "$ref"}
TYPES = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int, "boolean": bool,
         "null": type(None)}


def is_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def faults(value, schema, root, path="$"):
    """All violations, as texts."""
    unknown = set(schema) - KNOWN
    if unknown:
        raise ValueError(f"the schema contains keywords that this validator does not know: {unknown}")
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].split("/")[1:]:
            target = target[part]
        yield from faults(value, target, root, path)
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(is_type(value, name) for name in names):
            yield f"{path}: {json.dumps(value)[:40]} is not of type {' or '.join(names)}"
            return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is none of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{path}: {value!r} is not {schema['const']!r}"
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        yield f"{path}: {value!r} does not match {schema['pattern']}"
    if "minimum" in schema and isinstance(value, (int, float)) and value < schema["minimum"]:
        yield f"{path}: {value} is below {schema['minimum']}"
    for part in schema.get("allOf", []):
        yield from faults(value, part, root, path)
    if "anyOf" in schema and all(any(faults(value, part, root, path)) for part in schema["anyOf"]):
        yield f"{path}: {json.dumps(value)[:40]} fits none of the choices"
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{path}: lacks {name}"
        for name, part in schema.get("properties", {}).items():
            if name in value:
                yield from faults(value[name], part, root, f"{path}.{name}")
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            yield f"{path}: has {len(value)} elements, not {schema['minItems']}"
        prefix = schema.get("prefixItems", [])
        for index, element in enumerate(value):
            part = prefix[index] if index < len(prefix) else schema.get("items", {})
            yield from faults(element, part, root, f"{path}[{index}]")


def documents(text):
    """The JSON values that begin a line of a text; golden files may contain several, or other lines before."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        if text[at] == "{":
            try:
                value, at = decoder.raw_decode(text, at)
                yield value
            except ValueError:
                pass
        at = text.find("\n", at) + 1 or len(text)


def profiles(document):
    """The profile of a document and those of its other processes."""
    yield document
    for process in document.get("processes", []):
        if "schema" in process:
            yield process


def damaged(profile):
    """Copies of the profile with one error each; all must be refused."""
    for change in ({"cold": -1}, {"distance": 3}, {"histogram": [{"lo": 0, "hi": 0}]}, {"engine": None},
                   {"schema": "other"}, {"provenance": {}}, {"blocks": [{}]}, {"accesses": 1.5},
                   {"fingerprint": "xyz"}, {"simulated": [{"policy": "magic"}]}):
        yield {**profile, **change}
    for name in ("block_bytes", "accesses", "version"):
        yield {key: value for key, value in profile.items() if key != name}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    try:
        import jsonschema
        second = jsonschema.Draft202012Validator(schema)
    except (ImportError, AttributeError):
        second = None
    bad = 0
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as file:
            found = [d for d in documents(file.read()) if d.get("schema") == "deja-profile"]
        for profile in (p for document in found for p in profiles(document)):
            for fault in list(faults(profile, schema, schema))[:10]:
                print(f"{name}: {fault}")
                bad = 1
            if second and not second.is_valid(profile):
                print(f"{name}: jsonschema refuses it: {next(second.iter_errors(profile)).message[:200]}")
                bad = 1
            for wrong in damaged(profile):
                if not any(faults(wrong, schema, schema)):
                    print(f"{name}: a damaged copy conforms to the schema")
                    bad = 1
    return bad


sys.exit(main())
