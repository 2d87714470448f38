"""Turns embedded sources into the package _omp, inside a kernel that has none of our files on its disk.

Sources go through linecache, so a traceback shows their lines. When the fork server has loaded the same sources
already, nothing is compiled.
"""

import json
import linecache
import sys
import types


def load(digest, sources):
    """Make _omp and its modules from [[name, source], ...], each of which may import those before it."""
    loaded = sys.modules.get("_omp")
    if loaded is not None and loaded.digest == digest:
        return
    package = types.ModuleType("_omp")
    package.__path__ = []
    package.digest = digest
    sys.modules["_omp"] = package
    add(package, sources)


def add(package, sources):
    for name, source in sources:
        file = f"<omp {name}.py>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        module = types.ModuleType(f"_omp.{name}")
        module.__file__ = file
        module.__package__ = "_omp"
        sys.modules[module.__name__] = module
        exec(compile(source, file, "exec"), module.__dict__)
        setattr(package, name, module)


def run(payload):
    """payload: JSON with digest, sources and, in a kernel, boot (the configuration), module (one to load) or attach; or more sources."""
    request = json.loads(payload)
    if request.get("more"):
        package = sys.modules["_omp"]
        return add(package, [each for each in request["more"] if f"_omp.{each[0]}" not in sys.modules])
    if request.get("attach"):
        # Where another omp has loaded its own, those stay.
        if "_omp" not in sys.modules:
            load(request["digest"], request["sources"])
        return sys.modules["_omp.bridge"].attach()
    load(request["digest"], request["sources"])
    if request.get("boot") is not None:
        return sys.modules["_omp.boot"].boot(request["boot"])
    if request.get("module") is not None:
        return sys.modules["_omp.modules"].load(request["module"])
    return None
