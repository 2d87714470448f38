# Which packages would a kernel of this interpreter borrow, and do they go together with its own? Answers with one line of JSON
# after the marker in argv[1]. argv[2] is JSON: the directories of the lender. Imports nothing of what it looks for but `packaging`.
import sys

# `-c` puts the working directory first: a json.py there must not answer for the standard library.
sys.path[:] = [entry for entry in sys.path if entry]
sys.dont_write_bytecode = True

import json
import os
import re
from importlib import metadata
from importlib.util import find_spec

ROOTS = ["ipykernel", "matplotlib-inline"]
NOT_MODULES = ("..", "__pycache__", "bin")


def normalised(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(lent):
    """The lender's ipykernel and all that it needs, by normalised name."""
    found, wanted = {}, list(ROOTS)
    while wanted:
        name = normalised(wanted.pop())
        if name in found or name not in lent:
            continue
        found[name] = lent[name]
        # What only an extra or another system needs is harmless here.
        wanted += [re.match(r"[\w.-]+", each)[0] for each in lent[name].requires or [] if "extra ==" not in each]
    return found


def modules_of(distribution):
    """Top-level names. Without a list of its files, the name is the best guess."""
    names = set()
    for file in distribution.files or []:
        first = file.parts[0]
        if first in NOT_MODULES or first.endswith((".dist-info", ".data", ".egg-info", ".libs", ".pth")):
            continue
        if len(file.parts) > 1 or first.endswith((".py", ".so", ".pyd")):
            names.add(first.partition(".")[0])
    return names or {distribution.metadata["Name"].replace("-", "_")}


def own_version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def conflicts(lent, directories):
    """Own packages that are too old or too new for what is lent: `traitlets 4.3.3 (jupyter-client needs >=5.3)`."""
    sys.path.extend(directories)
    try:
        from packaging.requirements import Requirement
    finally:
        del sys.path[-len(directories) :]
    found = []
    for lender, distribution in sorted(lent.items()):
        for text in distribution.requires or []:
            requirement = Requirement(text)
            if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
                continue
            version = own_version(requirement.name)
            if version is not None and not requirement.specifier.contains(version, prereleases=True):
                found.append("%s %s (%s needs %s)" % (requirement.name, version, lender, requirement.specifier))
    return found


def own_modules(modules):
    found = []
    for name in sorted(modules):
        try:
            if find_spec(name) is not None:
                found.append(name)
        except Exception:
            found.append(name)  # a broken one is found, too
    return found


def modified(path):
    try:
        return str(os.stat(path).st_mtime_ns)
    except OSError:
        return None


def answer(directories):
    # Taken first: what is installed meanwhile makes the answer old, not wrong.
    watched = dict((path, modified(path)) for path in [*sys.path, *directories])
    lent = {}
    for distribution in metadata.distributions(path=directories):
        # A damaged one has no name.
        lent.setdefault(normalised(distribution.metadata["Name"] or ""), distribution)
    lent = closure(lent)
    modules = set().union(*(modules_of(each) for each in lent.values()))
    places = sorted({str(each.locate_file("")) for each in lent.values()}, key=directories_index(directories))
    return {
        "directories": places,
        "modules": sorted(modules),
        "distributions": sorted(lent),
        "ipykernel": lent["ipykernel"].version if "ipykernel" in lent else None,
        "own": own_modules(modules),
        "conflicts": conflicts(lent, places) if lent else [],
        "watched": watched,
    }


def directories_index(directories):
    real = [os.path.realpath(each) for each in directories]
    return lambda place: real.index(os.path.realpath(place)) if os.path.realpath(place) in real else len(real)


os.write(1, ("\n" + sys.argv[1] + json.dumps(answer(json.loads(sys.argv[2]))) + "\n").encode("ascii"))
