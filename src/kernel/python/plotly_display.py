"""Plotly in a kernel that has no notebook around it.

Without nbformat, which no kernel needs, Plotly shows nothing: it only looks at its version. And with every chart it sends all of its
JavaScript, four megabytes, for notebooks that do not have it.
"""

import types

from _omp import adapted


def install():
    adapted.when_imported("plotly.io._renderers", _adapt)


def _adapt(module):
    if getattr(module, "nbformat", True) is None:
        module.nbformat = types.SimpleNamespace(__version__="5.0.0")
    renderers = getattr(module, "renderers", None)
    if getattr(renderers, "default", None) == "plotly_mimetype+notebook":
        renderers.default = "plotly_mimetype"
