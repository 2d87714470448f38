"""What the values of a namespace are, as digests that are equal where nothing has changed.

Compares two copies of one kernel, so what differs between processes that have nothing in common does not matter. A value whose content
cannot be read has no digest: whether it has changed is not known.
"""

import functools
import hashlib
import io
import pickle
import time
import types


class _Unreadable(Exception):
    pass


class _Hasher(io.RawIOBase):
    """A file that keeps only the digest of what is written, and has no more time than is left."""

    def __init__(self, deadline):
        super().__init__()
        self._hash = hashlib.blake2b(digest_size=16)
        self._deadline = deadline

    def write(self, data):
        if time.monotonic() > self._deadline:
            raise _Unreadable
        view = memoryview(data)
        for start in range(0, view.nbytes, 1 << 24):
            self._hash.update(view.cast("B")[start : start + (1 << 24)])
            if time.monotonic() > self._deadline:
                raise _Unreadable
        return view.nbytes

    def hexdigest(self):
        return self._hash.hexdigest()


class _Pickler(pickle.Pickler):
    """Describes what pickle refuses, or knows only by name."""

    def __init__(self, file):
        super().__init__(file, protocol=5, buffer_callback=lambda buffer: file.write(buffer.raw()) and False)

    def reducer_override(self, value):
        describe = _DESCRIBED.get(type(value))
        if describe is None and isinstance(value, io.IOBase) and not isinstance(value, (io.BytesIO, io.StringIO)):
            describe = _file
        if describe is None and isinstance(value, type) and value.__module__ == "__main__":
            describe = _class
        return NotImplemented if describe is None else (_Described, (type(value).__qualname__, describe(value)))


class _Described:
    """Stands for a value in a stream that is never read."""


def _function(value):
    cells = tuple(_cell(cell) for cell in value.__closure__ or ())
    return value.__qualname__, value.__code__, value.__defaults__, value.__kwdefaults__, cells, dict(value.__dict__)


def _cell(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return "empty"


def _code(value):
    return value.co_code, value.co_consts, value.co_names, value.co_varnames, value.co_name


def _generator(value):
    frame = value.gi_frame
    return (value.gi_code, None) if frame is None else (value.gi_code, frame.f_lasti, dict(frame.f_locals))


def _class(value):
    skipped = ("__dict__", "__weakref__", "__doc__")
    return value.__qualname__, value.__bases__, {k: v for k, v in vars(value).items() if k not in skipped}


def _file(value):
    if value.closed:
        return getattr(value, "name", ""), "closed"
    try:
        # To tell its position, it would write what it has not yet written.
        if value.writable():
            raise _Unreadable
        return getattr(value, "name", ""), getattr(value, "mode", ""), value.tell()
    except (OSError, ValueError):
        raise _Unreadable from None


_DESCRIBED = {
    types.FunctionType: _function,
    types.CodeType: _code,
    types.GeneratorType: _generator,
    types.ModuleType: lambda value: value.__name__,
    types.MappingProxyType: dict,
    types.CellType: _cell,
    staticmethod: lambda value: value.__func__,
    classmethod: lambda value: value.__func__,
    property: lambda value: (value.fget, value.fset, value.fdel),
    functools.cached_property: lambda value: value.func,
    types.MemberDescriptorType: lambda value: value.__name__,
    types.GetSetDescriptorType: lambda value: value.__name__,
}


def digest(value, deadline):
    """None where it cannot be told. RecursionError and what the value's own code raises count as that."""
    hasher = _Hasher(deadline)
    try:
        _Pickler(hasher).dump(value)
    except BaseException:
        return None
    return hasher.hexdigest()


def of_namespace(limit_s, skip):
    """Of the user's own names, by %who's rules; what is not done within the limit is None."""
    from IPython import get_ipython

    shell = get_ipython()
    deadline = time.monotonic() + limit_s
    hidden = shell.user_ns_hidden
    return {
        name: digest(value, deadline)
        for name, value in dict(shell.user_ns).items()
        if not name.startswith("_") and name not in skip and hidden.get(name, hidden) is not value
    }
