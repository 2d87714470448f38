"""Extension modules: the user's own files, whose public names every cell finds ready.

Each is loaded by a request of its own, after the boot, so that whoever waits knows for which, and sees what it prints.
"""

import traceback
import types

from _omp import whereabouts

MODULE_MIME = "application/x-omp-module"

_names = {}


def prepare(shell, names):
    """Put these names, and those of modules that follow, into the user's namespace, hidden from %who, and again after %reset."""
    _names.update(names)
    make_namespace = shell.init_user_ns

    def init_user_ns():
        make_namespace()
        shell.push(_names, interactive=False)

    shell.init_user_ns = init_user_ns
    shell.push(_names, interactive=False)


def load(module):
    """Run one module, {name, path?, source?}; its failure is an answer and not an error."""
    from IPython import get_ipython

    values, error = _run(module)
    _names.update(values)
    get_ipython().push(values, interactive=False)
    return whereabouts.Answer(MODULE_MIME, {"name": module["name"], "error": error, "names": sorted(values)})


def _run(module):
    name = module["name"]
    path = module.get("path") or f"<omp module {name}>"
    namespace = types.ModuleType(name)
    namespace.__file__ = path
    try:
        source = module.get("source")
        if source is None:
            with open(path, encoding="utf-8") as file:
                source = file.read()
        exec(compile(source, path, "exec"), namespace.__dict__)
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        return {}, "".join(traceback.format_exception_only(type(error), error)).strip()
    return _public(namespace), None


def _public(module):
    values = vars(module)
    chosen = values.get("__all__")
    if chosen is not None:
        return {name: values[name] for name in chosen if name in values}
    return {
        name: value
        for name, value in values.items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
