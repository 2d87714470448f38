"""Lets an interpreter without ipykernel run a kernel: it is lent the packages of another one, by a finder at the end of the search.

sys.path stays as it is, so that nothing that the kernel starts inherits the loan. Only ipykernel and what it needs is lent, not
whatever else is installed there; and nothing is written into the interpreter's own packages, not even byte code.
"""

import sys
from importlib.machinery import PathFinder, SourceFileLoader


class UnwrittenLoader(SourceFileLoader):
    """Keeps the byte code of a module in memory."""

    def set_data(self, path, data, **_options):
        pass


class OwnPackages:
    """First in the search: the interpreter's own copies of what the kernel needs are read, and left as they are.

    Until cells run, that holds for whatever is imported: nobody asked for it. Byte code of lent packages is written as usual.
    """

    def __init__(self, loan):
        self.starting = True
        self.modules = frozenset(loan["modules"])
        self.directories = tuple(loan["directories"])

    def find_spec(self, fullname, path=None, target=None):
        if not self.starting and fullname.partition(".")[0] not in self.modules:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                return self.unwritten(spec)
        return None

    def kernel_started(self):
        """Called by the boot code."""
        self.starting = False

    def unwritten(self, spec):
        loader = spec.loader
        if type(loader) is SourceFileLoader and not loader.path.startswith(self.directories):
            spec.loader = UnwrittenLoader(loader.name, loader.path)
        return spec


class LentPackages:
    """What is lent: last in the search, or first where the interpreter's own packages do not go together with it."""

    def __init__(self, loan):
        self.modules = frozenset(loan["modules"])
        self.distributions = loan["distributions"]
        self.directories = loan["directories"]

    def find_spec(self, fullname, path=None, target=None):
        if path is not None or fullname not in self.modules:
            return None
        return PathFinder.find_spec(fullname, self.directories, target)

    def find_distributions(self, context=None):
        """For importlib.metadata: versions, and plug-ins by their entry points."""
        from importlib.metadata import DistributionFinder, MetadataPathFinder

        if context is not None and "path" in vars(context):
            return
        named = None if context is None else context.name
        wanted = self.distributions if named is None else [named]
        for name in wanted:
            if name.replace("_", "-").replace(".", "-").lower() in self.distributions:
                where = DistributionFinder.Context(name=name, path=self.directories)
                yield from MetadataPathFinder.find_distributions(where)


def lend(loan):
    lent = LentPackages(loan)
    if loan["first"]:
        sys.meta_path.insert(0, lent)
    else:
        sys.meta_path.append(lent)
    sys.meta_path.insert(0, OwnPackages(loan))


def launch(loan, here):
    """Become a kernel with this process's arguments, as ipykernel_launcher does. here: the directory of the script."""
    if sys.path and sys.path[0] == here:
        del sys.path[0]
    lend(loan)
    sys.argv[0] = "ipykernel_launcher"
    from ipykernel.kernelapp import IPKernelApp

    app = IPKernelApp.instance()
    app.initialize(sys.argv[1:])
    app.start()
