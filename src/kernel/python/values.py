"""Values as bytes: how variables leave one kernel and come back in another.

Functions of cells come back with the globals of the namespace that they come back to; everything else is as cloudpickle has it, or as
pickle has it where there is no cloudpickle. Large buffers (arrays) are kept outside the pickle, so that nothing copies them.
"""

import functools
import importlib.abc
import importlib.util
import io
import marshal
import pickle
import sys
import types

PROTOCOL = 5
SMALL_BUFFER = 1 << 16
NAMESPACE = "namespace"
"""The persistent id of the user's namespace itself."""

PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, type(Ellipsis), type(NotImplemented), range})
"""What has no parts, and no identity that anybody relies on."""


class NotKept(pickle.PicklingError):
    """Says more than pickle's own error would."""


def pickler(file, namespace, *, link=None, on_buffer=None):
    """link: obj -> a persistent id for what is kept elsewhere, else None. on_buffer: takes large buffers, in order.

    Its `names` are, after dump(), those that functions in the value look up in the namespace.
    """
    return _pickler_class(cloudpickle())(file, namespace, link, on_buffer)


def unpickler(file, namespace, *, linked=None, buffers=(), main=None):
    """linked: the counterpart of link. main: what a reference to `__main__.name` means."""
    return _Unpickler(file, namespace, linked, buffers, main)


def dumps(value, namespace):
    """One value as a list of buffers, the pickle first; for what is handed over at once."""
    file, buffers = io.BytesIO(), []
    pickler(file, namespace, on_buffer=buffers.append).dump(value)
    return [file.getvalue(), *(bytes(buffer.raw()) for buffer in buffers)]


def loads(parts, namespace):
    """The counterpart of dumps()."""
    return unpickler(io.BytesIO(parts[0]), namespace, buffers=[bytearray(part) for part in parts[1:]]).load()


def why_not(error):
    """What went wrong with a value, as a clause of one line."""
    text = " ".join(str(error).split())
    if isinstance(error, RecursionError):
        text = "it is nested too deeply"
    if not isinstance(error, (pickle.PickleError, TypeError, RecursionError)) or not text:
        text = f"{type(error).__name__}: {text}".rstrip(": ")
    return text if len(text) <= 160 else text[:159] + "…"


def cloudpickle():
    """The environment's own, or the lent one; None where there is neither."""
    try:
        import cloudpickle as module
    except Exception:  # a broken one is none
        return None
    return module if hasattr(module, "Pickler") else None


def lend(sources):
    """sources: {module name: text} of a cloudpickle, for an environment that has none."""
    if sources and cloudpickle() is None:
        sys.meta_path.append(_Lent(sources))


class _Lent(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    def __init__(self, sources):
        self._sources = sources

    def find_spec(self, fullname, _path=None, _target=None):
        if fullname not in self._sources:
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=self.is_package(fullname))

    def is_package(self, fullname):
        return "." not in fullname

    def get_source(self, fullname):
        return self._sources[fullname]


OPEN_FILES = (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.FileIO)


@functools.lru_cache(maxsize=None)
def _pickler_class(module):
    base = pickle.Pickler if module is None else module.Pickler

    class ValuePickler(base):
        def __init__(self, file, namespace, link, on_buffer):
            def keep_outside(buffer):
                # False: it is left out of the pickle.
                if on_buffer is None or buffer.raw().nbytes < SMALL_BUFFER:
                    return True
                on_buffer(buffer)
                return False

            super().__init__(file, protocol=PROTOCOL, buffer_callback=keep_outside)
            self.names = set()
            self._namespace = namespace
            self._link = link

        def persistent_id(self, obj):
            if type(obj) in PLAIN:
                return None
            if obj is self._namespace:
                return NAMESPACE
            return None if self._link is None else self._link(obj)

        def reducer_override(self, obj):
            kind = type(obj)
            if kind is types.FunctionType and obj.__globals__ is self._namespace:
                self.names.update(names_in(obj.__code__))
                return _reduce_function(obj)
            if kind is types.CellType:
                return _new_cell, (), _contents(obj), None, None, _fill_cell
            if kind is types.ModuleType and sys.modules.get(obj.__name__) is obj:
                return importlib.import_module, (obj.__name__,)
            if kind is functools._lru_cache_wrapper and hasattr(obj, "cache_parameters"):
                return _cached, (obj.__wrapped__, obj.cache_parameters()), dict(vars(obj))
            if isinstance(obj, OPEN_FILES):
                raise NotKept("it is an open file")
            if module is not None:
                return super().reducer_override(obj)
            if isinstance(obj, type) and obj.__module__ == "__main__":
                raise NotKept(f"the class {obj.__qualname__} is of a cell, and there is no cloudpickle here")
            return NotImplemented

    return ValuePickler


class _Unpickler(pickle.Unpickler):
    def __init__(self, file, namespace, linked, buffers, main):
        super().__init__(file, buffers=buffers)
        self._namespace = namespace
        self._linked = linked
        self._main = main

    def persistent_load(self, token):
        if token == NAMESPACE:
            return self._namespace
        if self._linked is None:
            raise pickle.UnpicklingError("it refers to a value that is not there")
        return self._linked(token)

    def find_class(self, module, name):
        if module == "__main__" and self._main is not None:
            first, *rest = name.split(".")
            return functools.reduce(getattr, rest, self._main(first))
        return super().find_class(module, name)


def names_in(code):
    """What code looks up by name, also that of the functions in it."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_in(constant)
    return names


def _reduce_function(function):
    # Byte code is of one version of Python: marshal is as good as anything that takes it apart.
    code = marshal.dumps(function.__code__)
    version = tuple(sys.version_info[:2])
    made = (version, code, function.__globals__, function.__name__, function.__closure__)
    state = {
        "__qualname__": function.__qualname__,
        "__module__": function.__module__,
        "__doc__": function.__doc__,
        "__defaults__": function.__defaults__,
        "__kwdefaults__": function.__kwdefaults__,
        "__annotations__": _annotations(function),
    }
    if getattr(function, "__type_params__", ()):
        state["__type_params__"] = function.__type_params__
    return _new_function, made, (state, dict(vars(function))), None, None, _fill_function


def _annotations(function):
    try:
        return dict(function.__annotations__)
    except Exception:  # from Python 3.14 on they are evaluated when they are looked at
        return {}


def _new_function(version, code, namespace, name, closure):
    if tuple(version) != tuple(sys.version_info[:2]):
        was, now = (".".join(map(str, each[:2])) for each in (version, sys.version_info))
        raise pickle.UnpicklingError(f"its code is of Python {was}, and this is Python {now}")
    return types.FunctionType(marshal.loads(code), namespace, name, None, closure)


def _fill_function(function, states):
    state, attributes = states
    for name, value in state.items():
        setattr(function, name, value)
    vars(function).update(attributes)


def _contents(cell):
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def _new_cell():
    return types.CellType()


def _fill_cell(cell, contents):
    for value in contents:
        cell.cell_contents = value


def _cached(function, parameters):
    return functools.lru_cache(**parameters)(function)
