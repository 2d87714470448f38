# Exceptions that are not like others.
raise SystemExit("leaving")
# %%
raise KeyboardInterrupt
# %%
class Own(BaseException):
    pass

raise Own("of its own kind")
# %%
import sys
if sys.version_info >= (3, 11):
    raise ExceptionGroup("several", [ValueError("a"), TypeError("b")])
raise ValueError("several")
# %%
error = ValueError("noted")
if hasattr(error, "add_note"):
    error.add_note("a note")
raise error
# %%
class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no text")

raise Unprintable()
# %%
raise ValueError("multi\nline\nmessage")
# %%
import warnings
warnings.simplefilter("error")
warnings.warn("now an error")
