"""Variables of an earlier kernel, loaded when a cell first names them; keep.py has written them.

Until then a placeholder is in the user's namespace. Which names a cell needs is read from its syntax tree before it runs, with every word
in its strings (magics, eval, query); a function brings the names that it looks up. What looks at the whole namespace loads everything.
What cannot be loaded is said once, and its name is taken away: so using it is a NameError, and everything else works.
"""

import ast
import functools
import hashlib
import importlib
import io
import json
import os
import pickle
import sys
import threading

from _omp import calls, values, whereabouts
from _omp.needed import needed
from _omp.sharing import Value

MIME = "application/x-omp-restored"
FORMAT = 1
ABOUT = "kept"
PIECE = 2 << 20
"""Of what omp is asked for at once."""

_kept = None


def kept():
    """What is not loaded yet, and what was; None where nothing is kept."""
    return _kept


def attach(text):
    """text: JSON with index and, where this process can open it, path; lent: a cloudpickle for an environment that has none."""
    global _kept
    from IPython import get_ipython

    request = json.loads(text)
    index = request["index"]
    if index.get("format") != FORMAT:
        raise ValueError(f"the variables were kept in the form {index.get('format')}, and this omp reads {FORMAT}")
    values.lend(request.get("lent"))
    path = request.get("path")
    _kept = Kept(index, _reader_of(path) if path else _ask, get_ipython())
    return whereabouts.Answer(MIME, {})


def load_all(_text):
    """Everything at once. Answers what could not be loaded."""
    problems = [] if _kept is None else _kept.load(_kept.names())
    return whereabouts.Answer(MIME, {"failed": [{"name": name, "why": why} for name, why in problems]})


def load_named(text):
    """For whoever looks at the namespace without running a cell: what the code of this text would need."""
    if _kept is not None:
        _kept.load(needed(ast.parse(text), _kept.names()))


class Placeholder:
    """Stands for a value that is not loaded yet."""

    def __init__(self, name, kind):
        self._name = name
        self._kind = kind

    def __repr__(self):
        return f"<{self._name}: {self._kind}, kept from before; it is loaded when a cell names it>"


class Kept:
    def __init__(self, index, read, shell):
        self._read = read
        self._namespace = shell.user_ns
        self._transformers = shell.ast_transformers
        self._lock = threading.RLock()
        self._units = {key: unit for unit in index["units"] for key in unit["values"]}
        self._facts = index["values"]
        self._things = {}
        self._open = {id(unit): unit for unit in index["units"]}
        self._loading = set()
        self._failed = set()
        self._placeholders = {}
        self._keys = {name: key for key, facts in self._facts.items() for name in facts["names"]}
        self._modules = dict(index["modules"])
        for name, key in self._keys.items():
            self._put(name, self._facts[key]["type"])
        for name in self._modules:
            self._put(name, "module")
        self._transformers.append(self)

    def _put(self, name, kind):
        self._placeholders[name] = self._namespace[name] = Placeholder(name, kind)

    def names(self):
        """Of what has not been loaded, and was not replaced or deleted."""
        return {name for name, each in self._placeholders.items() if self._namespace.get(name) is each}

    def visit(self, tree):
        """Called by IPython with the syntax tree of every cell, before it runs."""
        for name, why in self.load(needed(tree, self.names())):
            print(f"omp: {name} could not be restored: {why}", file=sys.stderr)
        if not self.names():
            self._transformers[:] = [each for each in self._transformers if each is not self]
        return tree

    def load(self, wanted):
        """Returns pairs of a name and why it could not be loaded."""
        problems = []
        with self._lock:
            waiting = list(wanted)
            while waiting:
                name = waiting.pop()
                if name not in self._placeholders:
                    continue
                try:
                    waiting += self._bring(name)
                except (Exception, SystemExit) as error:
                    problems.append((name, values.why_not(error)))
                    self._failed.add(name)
                    self._replace(name)
            self._let_go()
        return problems

    def _bring(self, name):
        """Returns the names that it needs besides. Interrupted, it may be loaded later."""
        if name in self._modules:
            self._replace(name, importlib.import_module(self._modules[name]))
            return ()
        more = set()
        self._value(self._keys[name], more)
        return more

    def _replace(self, name, *thing):
        """The placeholder by the thing, or by nothing; unless a cell has used the name for something else."""
        if self._namespace.get(name) is not self._placeholders.pop(name, self):
            return
        if thing:
            self._namespace[name] = thing[0]
        else:
            del self._namespace[name]

    def _value(self, key, more):
        if key not in self._things:
            if key not in self._units:
                raise pickle.UnpicklingError("it refers to a value that is not there")
            self._load_unit(self._units[key], more)
        return self._things[key]

    def _load_unit(self, unit, more):
        parts = [bytearray(size) for size in unit["sizes"]]
        digest, at = hashlib.sha256(), unit["at"]
        for part in parts:
            self._read_into(at, memoryview(part))
            digest.update(part)
            at += len(part)
        if digest.hexdigest() != unit["sha256"]:
            raise pickle.UnpicklingError("its bytes are not those that were kept")
        unpickler = values.unpickler(
            io.BytesIO(parts[0]),
            self._namespace,
            linked=functools.partial(self._value, more=more),
            buffers=parts[1:],
            main=functools.partial(self._main, more=more),
        )
        if id(unit) in self._loading:
            raise pickle.UnpicklingError("it refers to itself")
        self._loading.add(id(unit))
        try:
            things = unpickler.load()
        finally:
            self._loading.discard(id(unit))
        more.update(unit["names"])
        self._open.pop(id(unit), None)
        for key, thing in zip(unit["values"], things):
            self._things[key] = thing
            # All of its names at once: loaded again, it would be another object.
            for name in self._facts[key]["names"]:
                self._replace(name, thing)

    def _main(self, name, more):
        if name not in self._keys:
            raise pickle.UnpicklingError(f"it refers to {name}, which was not kept")
        return self._value(self._keys[name], more)

    def _read_into(self, at, view):
        for start in range(0, len(view), PIECE):
            piece = view[start : start + PIECE]
            data = self._read(at + start, len(piece))
            if len(data) != len(piece):
                raise pickle.UnpicklingError("the file that it was kept in is shorter than it was")
            piece[:] = data

    def _let_go(self):
        """Loaded values are held only as long as others that are not loaded refer to them."""
        needed_keys = {key for unit in self._open.values() for key in unit["refersTo"]}
        self._things = {key: thing for key, thing in self._things.items() if key in needed_keys}

    # For keep.py, when variables are kept again before all of them were loaded.

    def is_placeholder(self, thing):
        return isinstance(thing, Placeholder)

    def key_of(self, thing):
        return next((key for key, each in self._things.items() if each is thing), None)

    def referred_to(self):
        """Loaded values that others, not loaded yet, refer to."""
        return list(self._things.items())

    def modules(self):
        names = self._names_left()
        return {name: module for name, module in self._modules.items() if name in names}

    def _names_left(self):
        """What could not be loaded here may be elsewhere."""
        return self.names() | {name for name in self._failed if name not in self._namespace}

    def carry_over(self, output):
        """Copies what was not loaded, and what that refers to, into another file. `place` is None for what could not be copied."""
        names = self._names_left()
        wanted = [self._keys[name] for name in names if name in self._keys]
        carried = {}
        while wanted:
            key = wanted.pop()
            unit = self._units.get(key)
            if unit is None or id(unit) not in self._open or id(unit) in carried:
                continue
            carried[id(unit)] = unit
            wanted += unit["refersTo"]
        return [self._carry(unit, names, output) for unit in carried.values()]

    def _carry(self, unit, names, output):
        members = [self._member(key, names) for key in unit["values"]]
        place = None
        try:
            with output.section() as section:
                section.copy(unit["sizes"], lambda start, size: self._read(unit["at"] + start, size))
            place = section.place()
            if place["sha256"] != unit["sha256"]:
                raise pickle.UnpicklingError("its bytes are not those that were kept")
        except (Exception, KeyboardInterrupt) as error:
            place = None
            for member in members:
                member.problem = output.why_not(error)
        refers_to = [self._member(key, names) for key in unit["refersTo"]]
        return {"members": members, "refers_to": refers_to, "names": unit["names"], "place": place}

    def _member(self, key, names):
        facts = self._facts[key]
        return Value(key, None, [name for name in facts["names"] if name in names], facts["type"])


def _reader_of(path):
    """The file stays open: it is replaced when variables are kept again. Only a file of the user's that nobody else may touch."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    found = os.fstat(descriptor)
    if found.st_uid != os.getuid() or found.st_mode & 0o077:
        os.close(descriptor)
        raise PermissionError(f"{path} is not private to the user")
    return lambda at, size: os.pread(descriptor, size, at)


def _ask(at, size):
    """For a kernel that does not see the file: omp reads it."""
    import base64

    answer = calls.calls.call("variables kept from before", ABOUT, {"at": at, "size": size})
    return base64.b64decode(answer.get("base64", ""))
