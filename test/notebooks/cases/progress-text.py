# Progress bars of text.
from tqdm import tqdm
for i in tqdm(range(3), bar_format="{desc}{n_fmt}/{total_fmt}", desc="step "):
    pass
# %%
import sys
with tqdm(total=2, file=sys.stdout, bar_format="{n_fmt} of {total_fmt}") as bar:
    bar.update(1)
    tqdm.write("written above")
    bar.update(1)
# %%
for i in tqdm(range(2), leave=False, bar_format="{n_fmt}", file=sys.stdout):
    pass
print("gone")
