"""The schema of a model's answer: a JSON schema as it is, or that of a pydantic model or a dataclass, whose value is made of the answer."""

import dataclasses
import enum
import json
import types
import typing

PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
UNIONS = (typing.Union, getattr(types, "UnionType", typing.Union))


def json_schema(kind):
    """As a dict. TypeError for what has none."""
    if isinstance(kind, dict):
        return kind
    if hasattr(kind, "model_json_schema"):
        return kind.model_json_schema()
    return _with_definitions_first(_schema_of(kind))


def _with_definitions_first(schema):
    """Models bring definitions along, which are looked up at the root of the whole schema."""
    found = {}

    def without(part):
        if isinstance(part, list):
            return [without(each) for each in part]
        if not isinstance(part, dict):
            return part
        found.update({name: without(each) for name, each in part.get("$defs", {}).items()})
        return {name: without(each) for name, each in part.items() if name != "$defs"}

    whole = without(schema)
    return {**whole, "$defs": found} if found else whole


def make(kind, value):
    """The value of the type that a checked answer stands for."""
    if isinstance(kind, dict):
        return value
    if hasattr(kind, "model_validate"):
        return kind.model_validate(value)
    return _made(kind, value)


def _schema_of(kind, inside=()):
    """inside: the dataclasses that this one is a part of, since one may contain itself."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind in PLAIN:
        return {"type": PLAIN[kind]}
    if kind in (typing.Any, object):
        return {}
    if hasattr(kind, "model_json_schema"):
        return kind.model_json_schema()
    if kind in inside:
        return _reference(kind)
    if dataclasses.is_dataclass(kind):
        schema = _schema_of_fields(kind, (*inside, kind))
        is_recursive = json.dumps(_reference(kind)) in json.dumps(schema)
        return {**_reference(kind), "$defs": {kind.__name__: schema}} if is_recursive else schema
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return {"enum": [member.value for member in kind]}
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin in UNIONS:
        return {"anyOf": [_schema_of(each, inside) for each in arguments]}
    if kind is list or origin is list:
        return {"type": "array", "items": _schema_of(arguments[0], inside) if arguments else {}}
    if kind is dict or origin is dict:
        return {"type": "object", "additionalProperties": _schema_of(arguments[1], inside) if arguments else {}}
    raise TypeError(f"omp.llm: schema takes a JSON schema, a dataclass or a pydantic model, not {kind!r}")


def _schema_of_fields(kind, inside):
    fields, hints = dataclasses.fields(kind), typing.get_type_hints(kind)
    return {
        "type": "object",
        "properties": {field.name: _schema_of(hints[field.name], inside) for field in fields},
        "required": [field.name for field in fields if _is_required(field)],
        "additionalProperties": False,
    }


def _reference(kind):
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _is_required(field):
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _made(kind, value):
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if hasattr(kind, "model_validate"):
        return kind.model_validate(value)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{name: _made(hints[name], each) for name, each in value.items()})
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(value)
    if origin is list:
        return [_made(arguments[0], each) for each in value]
    if origin is dict:
        return {name: _made(arguments[1], each) for name, each in value.items()}
    if origin in UNIONS:
        return _made_of_union(arguments, value)
    return float(value) if kind is float else value


def _made_of_union(kinds, value):
    """The first that fits: a class only takes what has its fields."""
    if value is None:
        return None
    for kind in kinds:
        try:
            made = _made(kind, value)
        except (TypeError, ValueError, KeyError, AttributeError):
            continue
        if kind not in PLAIN or type(made) is kind:
            return made
    return value
