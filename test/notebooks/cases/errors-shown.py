# Tracebacks that are shown without a failure.
try:
    1 / 0
except ZeroDivisionError:
    get_ipython().showtraceback()
print("goes on")
# %%
import traceback
try:
    [][1]
except IndexError:
    print(traceback.format_exc().splitlines()[-1])
# %%
int("x")
# %%
%tb
# %%
import sys
try:
    {}[1]
except KeyError:
    sys.excepthook(*sys.exc_info())
"still runs"
# %%
%xmode Minimal
# %%
1 / 0
