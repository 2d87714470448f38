"""Keeps the user's variables in a file, value by value, for another kernel: restore.py is the counterpart.

The file holds pickles and buffers one after the other; where they are, what they are and their digests is the answer, which omp signs
and adds. Small values go first, so that the limits of size and time cost as few names as possible.
"""

import json
import os
import re
import secrets
import sys
import tempfile
import types

from _omp import sections, values, whereabouts
from _omp.sharing import Sharing, Value, groups

MIME = "application/x-omp-kept"
FORMAT = 1
HISTORY = re.compile(r"_(?:_|__|i{1,3}|ih|oh|dh|i?\d+|exit_code)?")
"""What IPython itself keeps under names of the user's namespace."""


def save(text):
    """text: JSON with path (of an empty file that is ours; one is made without it), valueBytes, totalBytes, seconds, lent (cloudpickle)."""
    from IPython import get_ipython

    request = json.loads(text)
    values.lend(request.get("lent"))
    path = request.get("path")
    if path is None:
        descriptor, path = tempfile.mkstemp(prefix="omp-kept-")
    else:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    with open(descriptor, "r+b", buffering=0) as file:
        output = sections.Output(file, request["valueBytes"], request["totalBytes"], request["seconds"])
        index = _Saving(get_ipython(), output).run()
    return whereabouts.Answer(MIME, {"path": path, "bytes": output.end, "index": index})


def read(text):
    """A piece of a file that save() has made, for an omp that does not see it. text: JSON with path, at, size."""
    import base64

    request = json.loads(text)
    with open(request["path"], "rb") as file:
        file.seek(request["at"])
        piece = base64.b64encode(file.read(request["size"])).decode("ascii")
    return whereabouts.Answer(MIME, {"base64": piece})


def discard(text):
    os.unlink(json.loads(text)["path"])
    return whereabouts.Answer(MIME, {})


class _Saving:
    def __init__(self, shell, output):
        from _omp import restore

        self._namespace = shell.user_ns
        self._hidden = shell.user_ns_hidden
        self._output = output
        self._earlier = restore.kept()
        self._modules = {}
        self._units = []
        variables = self._variables()
        self._sharing = Sharing(variables, self._namespace, output.step)
        self._all = sorted(variables, key=lambda value: _size(value.thing))

    def run(self):
        for value in self._all:
            if not self._is_hopeless(value):
                self._write([value])
        for group in groups([value for value in self._all if value.problem is None], self._sharing.pairs):
            self._units = [unit for unit in self._units if not set(unit["members"]) & set(group)]
            self._write(group)
        if self._earlier is not None:
            carried = self._earlier.carry_over(self._output)
            self._all += [member for unit in carried for member in unit["members"]]
            self._units += [unit for unit in carried if unit["place"] is not None]
        self._drop_incomplete()
        return self._index()

    def _variables(self):
        by_id = {}
        for name, thing in list(self._namespace.items()):
            if self._is_ours(name, thing):
                continue
            if isinstance(thing, types.ModuleType) and sys.modules.get(thing.__name__) is thing:
                self._modules[name] = thing.__name__
            elif type(thing) in values.PLAIN:
                by_id[name] = Value(secrets.token_hex(6), thing, [name])
            elif id(thing) in by_id:
                by_id[id(thing)].names.append(name)
            else:
                by_id[id(thing)] = Value(self._key_of(thing), thing, [name])
        if self._earlier is not None:
            for key, thing in self._earlier.referred_to():
                by_id.setdefault(id(thing), Value(key, thing))
        return list(by_id.values())

    def _is_ours(self, name, thing):
        if HISTORY.fullmatch(name) or (name.startswith("__") and name.endswith("__")):
            return True
        if self._earlier is not None and self._earlier.is_placeholder(thing):
            return True
        return name in self._hidden and self._hidden[name] is thing

    def _key_of(self, thing):
        """What was restored keeps its key: values that are not loaded yet may refer to it."""
        known = None if self._earlier is None else self._earlier.key_of(thing)
        return known or secrets.token_hex(6)

    def _is_hopeless(self, value):
        """Without trying: it would only take time."""
        value.problem = self._output.refusal(_size(value.thing))
        return value.problem is not None

    def _write(self, members):
        self._sharing.begin(members)
        try:
            with self._output.section() as section:
                pickler = values.pickler(
                    section, self._namespace, link=self._sharing.link, on_buffer=section.add_buffer
                )
                pickler.dump([value.thing for value in members])
        except (Exception, KeyboardInterrupt) as error:
            for value in members:
                value.problem = self._output.why_not(error)
            return
        refers_to = self._sharing.end()
        for value in members:
            value.refers_to = refers_to
        unit = {"members": members, "refers_to": refers_to, "names": pickler.names, "place": section.place()}
        self._units.append(unit)

    def _drop_incomplete(self):
        """What refers to something that was not kept could not be loaded."""
        there = {member.key for unit in self._units for member in unit["members"]}
        while True:
            whole = []
            for unit in self._units:
                missing = next((each for each in unit["refers_to"] if each.key not in there), None)
                if missing is None:
                    whole.append(unit)
                    continue
                for member in unit["members"]:
                    member.problem = f"it holds {missing.label}, which was not kept"
                    there.discard(member.key)
            if len(whole) == len(self._units):
                return
            self._units = whole

    def _index(self):
        not_kept = [
            {"name": name, "type": value.kind, "why": value.problem}
            for value in self._all
            if value.problem is not None
            for name in value.names
        ]
        members = [member for unit in self._units for member in unit["members"]]
        modules = self._modules if self._earlier is None else {**self._earlier.modules(), **self._modules}
        known = {*modules, *(name for member in members for name in member.names)}
        module = values.cloudpickle()
        return {
            "format": FORMAT,
            "python": sys.version.split()[0],
            "pickler": "pickle" if module is None else f"cloudpickle {module.__version__}",
            "units": [
                {
                    **unit["place"],
                    "values": [member.key for member in unit["members"]],
                    "refersTo": sorted(each.key for each in unit["refers_to"]),
                    "names": sorted(known.intersection(unit["names"])),
                }
                for unit in self._units
            ],
            "values": {member.key: {"names": member.names, "type": member.kind} for member in members},
            "modules": modules,
            "notKept": sorted(not_kept, key=lambda each: each["name"]),
            "notes": self._notes(),
        }

    def _notes(self):
        notes = []
        if not self._sharing.is_complete:
            notes.append("objects without a name that several variables hold may have become several objects")
        for names in _views([value.thing, value.label] for value in self._all if value.problem is None):
            notes.append(f"the arrays {' and '.join(names)} shared memory, and do not any more")
        return notes


def _size(thing):
    """A guess, without a look at what is inside."""
    try:
        if isinstance(getattr(thing, "nbytes", None), int):
            return thing.nbytes
        if type(thing).__module__.startswith("pandas."):
            used = thing.memory_usage(deep=False)
            return int(used if isinstance(used, int) else used.sum())
        return sys.getsizeof(thing)
    except Exception:
        return 0


def _views(labelled):
    """Names of arrays that are views of the same memory: pickle has a copy of each. labelled: pairs of a thing and its name."""
    numpy = sys.modules.get("numpy")
    by_memory = {}
    for owner, label in labelled if numpy is not None else ():
        if type(owner) is not numpy.ndarray:
            continue
        while isinstance(owner.base, numpy.ndarray):
            owner = owner.base
        by_memory.setdefault(id(owner), []).append(label)
    return [sorted(names) for names in by_memory.values() if len(names) > 1]
