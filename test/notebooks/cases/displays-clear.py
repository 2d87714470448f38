# Output that is cleared.
from IPython.display import clear_output
print("old")
clear_output()
print("new")
# %%
for i in range(5):
    clear_output(wait=True)
    print("frame", i)
# %%
print("stays")
clear_output(wait=True)
# %%
display("shown")
clear_output()
# %%
print("a")
display("b")
clear_output(wait=True)
display("c")
print("d")
