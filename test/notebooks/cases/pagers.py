# Help goes to a pager, which notebooks show beside the cells.
def documented(a, b=2):
    """Adds.

    Both numbers.
    """
    return a + b
# %%
documented?
# %%
documented??
# %%
?documented
# %%
print("printed, then")
documented?
# %%
help(documented)
# %%
%pdoc documented
# %%
%psource documented
# %%
missing_name?
