"""Plotly in a kernel that has no notebook around it.

Without nbformat, which no kernel needs, Plotly shows nothing: it only looks at its version. And with every chart it sends all of its
JavaScript, four megabytes, for notebooks that do not have it.
"""

import importlib.machinery
import sys
import types

RENDERERS = "plotly.io._renderers"


def install():
    loaded = sys.modules.get(RENDERERS)
    if loaded is None:
        sys.meta_path.insert(0, _Finder())
    else:
        _adapt(loaded)


class _Finder:
    """Adapts the module when it is imported, and is gone then."""

    def find_spec(self, name, path=None, target=None):
        if name != RENDERERS:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        execute = getattr(getattr(spec, "loader", None), "exec_module", None)
        if execute is None:
            return spec

        def execute_and_adapt(module):
            execute(module)
            _adapt(module)

        spec.loader.exec_module = execute_and_adapt
        return spec


def _adapt(module):
    if getattr(module, "nbformat", True) is None:
        module.nbformat = types.SimpleNamespace(__version__="5.0.0")
    renderers = getattr(module, "renderers", None)
    if getattr(renderers, "default", None) == "plotly_mimetype+notebook":
        renderers.default = "plotly_mimetype"
