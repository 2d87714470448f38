# Displays that change.
handle = display("first", display_id=True)
handle.update("second")
# %%
other = display("waiting", display_id="job")
for i in range(20):
    other.update(f"step {i}")
# %%
from IPython.display import update_display
h2 = display({"text/plain": "raw"}, raw=True, display_id="raw")
update_display("changed", display_id="raw")
# %%
display("twice", display_id="same")
display("again", display_id="same")
