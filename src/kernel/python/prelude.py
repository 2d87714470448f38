"""The names that every cell finds ready, and their description for the tool's prompt, taken from themselves."""

import inspect

from _omp import files, shell

_HELPERS = (
    shell.bash,
    files.read_text,
    files.write_text,
    files.edit_text,
    files.find_files,
    files.grep,
    files.tree,
)


_PLANNED = ("ToolError", "agent", "branch", "inputs", "install", "llm", "mcp", "tools")


class _Reserved:
    """The name `omp`, kept for what is planned: code that uses it fails with one clear line."""

    def __getattr__(self, name):
        if name in _PLANNED:
            raise AttributeError(f"omp.{name} is planned, but this version of omp does not have it yet")
        raise AttributeError(f"omp has no '{name}'")

    def __repr__(self):
        return "<omp: planned, and empty in this version>"


def helpers():
    """Name to value, for the user's namespace."""
    return {"omp": _Reserved(), **{function.__name__: function for function in _HELPERS}}


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
