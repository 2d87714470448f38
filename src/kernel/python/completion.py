"""What a kernel answers to Tab: from the live namespace, at once, with what each name is.

Jedi is off: it parses sources for seconds at the first request, and the live namespace knows more than they say.
"""

import builtins
import functools
import inspect
import keyword
import re
import types

TYPES_KEY = "_jupyter_types_experimental"
OWNER = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*$")
MISSING = object()


def install(shell, kernel):
    shell.Completer.use_jedi = False
    # After a second boot this is the wrapper of the first one.
    complete = getattr(kernel.do_complete, "__wrapped__", kernel.do_complete)

    @functools.wraps(complete)
    def do_complete(code, cursor_pos):
        return _with_kinds(complete(code, cursor_pos), code, shell.user_ns)

    kernel.do_complete = do_complete


def _with_kinds(reply, code, namespace):
    rows = reply["metadata"].get(TYPES_KEY) if isinstance(reply, dict) else None
    for row in rows or []:
        row["type"] = _kind_of_row(row, code, namespace)
    return reply


def _kind_of_row(row, code, namespace):
    """IPython calls every name a variable, keywords and functions too."""
    kind, text = row["type"], row["text"]
    if kind == "<unknown>" and "." in text and OWNER.fullmatch(text):
        # IPython 8.18, the last for Python 3.9, gives the whole path and knows nothing about it.
        value = _resolved(text, namespace)
        return "" if value is MISSING else _kind(value)
    if kind in ("variable", "<unknown>"):
        value = _named(text, namespace)
        if value is MISSING:
            return "keyword" if keyword.iskeyword(text) or keyword.issoftkeyword(text) else ""
        return _kind(value)
    if kind == "attribute":
        owner = OWNER.search(code[: row["start"]])
        value = _attribute(_resolved(owner.group(), namespace) if owner else MISSING, text.lstrip("."))
        return "" if value is MISSING else _kind(value)
    return kind


def _resolved(path, namespace):
    first, *rest = path.split(".")
    value = _named(first, namespace)
    for name in rest:
        value = _attribute(value, name)
    return value


def _named(name, namespace):
    return namespace[name] if name in namespace else getattr(builtins, name, MISSING)


def _attribute(owner, name):
    """Without running anything: a property is not asked for its value."""
    if owner is MISSING or isinstance(owner, property):
        return MISSING
    return inspect.getattr_static(owner, name, MISSING)


def _kind(value):
    if isinstance(value, types.ModuleType):
        return "module"
    if isinstance(value, type):
        return "class"
    if isinstance(value, (property, functools.cached_property, types.GetSetDescriptorType, types.MemberDescriptorType)):
        return "property"
    if inspect.isroutine(value) or isinstance(value, (staticmethod, classmethod)):
        return "function"
    return type(value).__name__
