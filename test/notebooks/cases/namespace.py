# What a session keeps.
counter = 1
def bump():
    global counter
    counter += 1
    return counter
# %%
bump(), bump()
# %%
Out[2]
# %%
In[1].splitlines()[0]
# %%
from IPython.core.interactiveshell import InteractiveShell
InteractiveShell.ast_node_interactivity = "all"
# %%
1
2
print("three")
# %%
InteractiveShell.ast_node_interactivity = "last_expr"
del counter
# %%
counter
# %%
__name__, __doc__ is None or True
# %%
%reset -f
"bump" in globals()
