"""The names that every cell finds ready, and their description for the tool's prompt, taken from themselves."""

import inspect

from _omp import bridge, files, shell

_HELPERS = (
    shell.bash,
    files.read_text,
    files.write_text,
    files.edit_text,
    files.find_files,
    files.grep,
    files.tree,
)


def helpers():
    """Name to value, for the user's namespace."""
    return {"omp": bridge.Omp(), **{function.__name__: function for function in _HELPERS}}


def describe_prelude():
    """A list of {name, signature, summary}; the summary is the first line of the docstring."""
    return [
        {
            "name": function.__name__,
            "signature": f"{function.__name__}{inspect.signature(function)}",
            "summary": (inspect.getdoc(function) or "").partition("\n")[0],
        }
        for function in _HELPERS
    ]
