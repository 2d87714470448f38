# Bundles by hand.
display({"text/plain": "p", "text/html": "<i>h</i>"}, raw=True)
# %%
display({"application/x-unknown": "data"}, raw=True)
# %%
display({}, raw=True)
# %%
from IPython.display import publish_display_data
publish_display_data({"text/markdown": "*published*"})
# %%
display({"text/plain": "has metadata"}, metadata={"x": 1}, raw=True)
# %%
display({"text/html": "<table><tr><th>k</th><th>v</th></tr><tr><td>a</td><td>1</td></tr></table>"}, raw=True)
