# What is this interpreter, and which packages has it? Answers with one line of JSON after the marker in argv[1].
# Imports none of the packages it looks for: that would cost seconds. Runs on Python 2 as well, so that an old
# interpreter is named as one instead of failing with a syntax error.
import sys

# `-c` puts the working directory first: a json.py there must not answer for the standard library.
sys.path[:] = [entry for entry in sys.path if entry]

import json
import os

MODULES = {
    "ipykernel": "ipykernel",
    "jupyter_client": "jupyter-client",
    "kernel_gateway": "jupyter-kernel-gateway",
    "matplotlib": "matplotlib",
    "pandas": "pandas",
    "numpy": "numpy",
}


def modified(path):
    try:
        return str(os.stat(path).st_mtime_ns)
    except (OSError, AttributeError):
        return None


def package_directories():
    """Every directory in which a package could appear, also those that do not exist yet."""
    found = list(sys.path)
    try:
        import site

        found += site.getsitepackages()
        found.append(site.getusersitepackages())
    except Exception:
        pass  # an old virtualenv has a site module of its own without these
    return dict((path, modified(path)) for path in found)


def has(module):
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except Exception:
        return False  # a broken package is as good as none


def packages():
    from importlib import metadata

    found = {}
    for module, distribution in MODULES.items():
        if has(module):
            try:
                found[module] = metadata.version(distribution)
            except Exception:
                found[module] = "unknown"
    return found


def tag():
    """What compiled packages must be made for. The machine, too: macOS does not name it."""
    import platform
    import sysconfig

    abi = sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag
    return "%s-%s" % (abi, platform.machine())


def installer():
    """How a package can be added to this interpreter: `pip`, `ensurepip` first, or not by itself."""
    import sysconfig

    in_venv = sys.prefix != getattr(sys, "base_prefix", sys.prefix)
    marker = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    if not in_venv and os.path.exists(marker):
        return "system"
    return "pip" if has("pip") else "ensurepip" if has("ensurepip") else "none"


def answer():
    # Taken before the packages are looked for: what is installed meanwhile makes the answer old, not wrong.
    watched = package_directories()
    facts = {
        "version": sys.version.split()[0],
        "implementation": sys.implementation.name if hasattr(sys, "implementation") else "cpython",
        "prefix": sys.prefix,
        "executable": sys.executable,
        "packages": {},
        "installer": "none",
        "tag": None,
        "paths": [path for path in sys.path if os.path.isdir(path)],
        "watched": watched,
    }
    if sys.version_info >= (3, 8):
        facts["packages"] = packages()
        facts["installer"] = installer()
        facts["tag"] = tag()
    return facts


# To the descriptor, not to sys.stdout: a sitecustomize may have replaced that.
os.write(1, ("\n" + sys.argv[1] + json.dumps(answer()) + "\n").encode("ascii"))
