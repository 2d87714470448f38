"""Libraries that behave otherwise in a notebook than omp needs: they are changed when the user imports them, and not before."""

import importlib.machinery
import sys


def when_imported(name, adapt):
    """adapt(module) runs once: now, or right after the module was imported."""
    loaded = sys.modules.get(name)
    if loaded is None:
        sys.meta_path.insert(0, _Finder(name, adapt))
    else:
        adapt(loaded)


class _Finder:
    """Adapts the module when it is imported, and is gone then."""

    def __init__(self, name, adapt):
        self._name = name
        self._adapt = adapt

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        execute = getattr(getattr(spec, "loader", None), "exec_module", None)
        if execute is None:
            return spec

        def execute_and_adapt(module):
            execute(module)
            self._adapt(module)

        spec.loader.exec_module = execute_and_adapt
        return spec
