# Cells that ask for another.
%recall 1
# %%
get_ipython().set_next_input("x = 1")
print("asked")
# %%
%rep
