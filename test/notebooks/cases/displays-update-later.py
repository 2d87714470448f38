# A display of an earlier cell changes: a notebook changes it there.
handle = display("made here", display_id=True)
# %%
print("before")
handle.update("changed later")
print("after")
# %%
handle.update("changed last")
