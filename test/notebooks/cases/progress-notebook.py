# Progress bars of widgets.
from tqdm.notebook import tqdm
for i in tqdm(range(4), bar_format="{l_bar}{bar}{n_fmt}/{total_fmt}", desc="load"):
    pass
# %%
for i in tqdm(range(2), bar_format="{l_bar}{bar}{n_fmt}/{total_fmt}"):
    print("item", i)
# %%
import ipywidgets as widgets
progress = widgets.IntProgress(value=0, max=10, description="work")
display(progress)
progress.value = 7
