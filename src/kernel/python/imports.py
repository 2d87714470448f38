"""What the kernel itself imports does not come from the project.

A psutil.py or stack_data.py in the working directory would otherwise run when the kernel starts, formats a traceback or ends, without
anybody having asked for it. Cells find the project's modules first, as in every notebook, and so do the packages that they import.
"""

import contextlib
import os
import sys
from importlib.machinery import PathFinder

KERNEL = frozenset(
    "IPython _omp asttokens comm debugpy executing ipykernel jupyter_client jupyter_core matplotlib_inline psutil pure_eval "
    "stack_data tornado traitlets zmq".split()
)
"""The packages that a kernel is made of."""

PASSING_ON = ("importlib", "_frozen_importlib", "_frozen_importlib_external", "_omp_lend")
"""Those that only import for others."""

LOADERS_OF_THE_USERS = frozenset(("IPython", "tornado", "traitlets"))
"""Of these, the ones that import what the user names: %load_ext, import_item()."""




def install():
    """To be called in the working directory, before anything in it can be imported."""
    finders = sys.meta_path
    if any(type(finder).__name__ == _InstalledFirst.__name__ for finder in finders):
        return
    # What is built in or frozen is found before; what is left to finders behind PathFinder is asked there.
    place = finders.index(PathFinder) if PathFinder in finders else len(finders)
    finders.insert(place, _InstalledFirst(os.getcwd()))


class _InstalledFirst:
    """For the kernel's packages and the standard library, everything else goes before the working directory."""

    def __init__(self, project):
        self._project = project
        self._standard_library = getattr(sys, "stdlib_module_names", None) or _listed_modules()

    def find_spec(self, name, path=None, target=None):
        if path is not None:
            return None
        importer = _importer(sys._getframe(1))
        if importer not in KERNEL and importer not in self._standard_library:
            return None
        spec = self._find_elsewhere(name)
        if spec is None and importer in KERNEL and importer not in LOADERS_OF_THE_USERS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        # None: it is looked for as usual. pickle and runpy import what belongs to the user.
        return spec

    def _find_elsewhere(self, name):
        here = {"", ".", self._project}
        with contextlib.suppress(OSError):
            here.add(os.getcwd())
        spec = PathFinder.find_spec(name, [entry for entry in sys.path if entry not in here])
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            if spec is None and finder is not PathFinder and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, None)
        return spec


def _importer(frame):
    """The top-level package of whoever imports."""
    while frame is not None:
        name = frame.f_globals.get("__name__") or ""
        if name.partition(".")[0] not in PASSING_ON:
            return name.partition(".")[0]
        frame = frame.f_back
    return ""


def _listed_modules():
    """Before Python 3.10."""
    names = os.listdir(os.path.dirname(os.__file__))
    return frozenset(sys.builtin_module_names) | {name.partition(".")[0] for name in names}
