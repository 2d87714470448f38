"""Which variables share objects, so that what is one object stays one.

A value that holds another variable's value refers to it. Values that refer to each other in a circle, or that share an object without
a name, are kept together: one pickle holds them all.
"""

import enum
import types

from _omp import values

MAX_TRACKED = 200_000
"""Objects without a name that are remembered: beyond that, what two values share is not found."""

IMMUTABLE = frozenset({tuple, frozenset, slice, types.CodeType, types.ModuleType, types.BuiltinFunctionType})


class Value:
    """What one or several names stand for."""

    def __init__(self, key, thing, names=(), kind=None):
        self.key = key
        self.thing = thing
        self.names = list(names)
        self.kind = kind or type(thing).__qualname__
        self.refers_to = set()
        self.problem = None

    @property
    def label(self):
        return self.names[0] if self.names else "a value without a name"


class Sharing:
    """link() is called by the pickler with everything that has parts."""

    def __init__(self, variables, namespace, on_step):
        self.named = {id(value.thing): value for value in variables if _is_own(value.thing)}
        self.pairs = []
        self.is_complete = True
        self._namespace = namespace
        self._on_step = on_step
        self._owners = {}
        # An object that is gone would give its id to another one.
        self._alive = []
        self._tracked_kinds = {}
        self._current = frozenset()
        self._refers_to = set()

    def begin(self, members):
        self._current = frozenset(members)
        self._refers_to = set()

    def end(self):
        """What the members refer to outside of themselves."""
        return self._refers_to

    def link(self, thing):
        self._on_step()
        value = self.named.get(id(thing))
        if value is not None:
            if value in self._current:
                return None
            if value.problem is not None:
                raise values.NotKept(f"it holds {value.label}, which was not kept")
            self._refers_to.add(value)
            return value.key
        if self._is_tracked(thing):
            self._track(thing)
        return None

    def _track(self, thing):
        owner = self._owners.get(id(thing))
        if owner is not None and owner.problem is None:
            if owner not in self._current:
                self.pairs.append((owner, next(iter(self._current))))
        elif len(self._alive) < MAX_TRACKED:
            self._owners[id(thing)] = next(iter(self._current))
            self._alive.append(thing)
        else:
            self.is_complete = False

    def _is_tracked(self, thing):
        kind = type(thing)
        if kind is types.FunctionType:
            return thing.__globals__ is self._namespace
        known = self._tracked_kinds.get(kind)
        if known is None:
            known = self._tracked_kinds[kind] = _can_be_shared(kind)
        return known


def _is_own(thing):
    """Whether it is pickled by what it holds: what can be imported is only named."""
    if isinstance(thing, (type, types.FunctionType, types.BuiltinFunctionType)):
        return thing.__module__ == "__main__"
    return type(thing) not in values.PLAIN


def _can_be_shared(kind):
    if kind in IMMUTABLE or issubclass(kind, (type, enum.Enum)):
        return False
    # Never changed in place, and shared by everything that is derived from a table.
    names = {(base.__module__.partition(".")[0], base.__name__) for base in kind.__mro__}
    return not names & {("pandas", "Index"), ("numpy", "dtype"), ("pandas", "ExtensionDtype")}


def groups(variables, pairs):
    """Those that have to be kept together, as lists; strongly connected components, without recursion."""
    edges = {value: set(value.refers_to) for value in variables}
    for one, other in pairs:
        if one in edges and other in edges:
            edges[one].add(other)
            edges[other].add(one)
    numbers, low, found, stack, on_stack = {}, {}, [], [], set()
    for start in edges:
        if start in numbers:
            continue
        work = [(start, iter(edges[start]))]
        numbers[start] = low[start] = len(numbers)
        stack.append(start)
        on_stack.add(start)
        while work:
            value, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[value])
                if low[value] == numbers[value]:
                    found.append(_pop_until(value, stack, on_stack))
            elif following not in edges:
                continue
            elif following not in numbers:
                numbers[following] = low[following] = len(numbers)
                stack.append(following)
                on_stack.add(following)
                work.append((following, iter(edges[following])))
            elif following in on_stack:
                low[value] = min(low[value], numbers[following])
    return [sorted(group, key=lambda value: value.key) for group in found if len(group) > 1]


def _pop_until(value, stack, on_stack):
    group = []
    while True:
        last = stack.pop()
        on_stack.discard(last)
        group.append(last)
        if last is value:
            return group
