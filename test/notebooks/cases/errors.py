# Exceptions, one a cell.
1 / 0
# %%
def inner():
    raise ValueError("bad value: ä")

def outer():
    inner()

outer()
# %%
try:
    {}["missing"]
except KeyError as error:
    raise RuntimeError("while looking up") from error
# %%
try:
    int("x")
except ValueError:
    undefined_name
# %%
this is not python
# %%
assert 1 == 2, "not equal"
# %%
print("printed before")
raise Exception
# %%
if True:
print("indent")
# %%
import nonexistent_module_xyz
# %%
"after all of them"
