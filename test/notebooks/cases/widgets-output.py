# Output that a widget takes.
import ipywidgets as widgets
from IPython.display import clear_output
out = widgets.Output()
print("outside")
with out:
    print("inside")
display(out)
# %%
with out:
    clear_output()
    print("replaced")
print("outside stays")
# %%
with out:
    1 / 0
print("goes on")
# %%
out2 = widgets.Output()
display(out2)
out2.append_stdout("appended\n")
out2.append_display_data("object")
# %%
print("kept")
out3 = widgets.Output()
display(out3)
for i in range(3):
    with out3:
        clear_output(wait=True)
        print("frame", i)
print("also kept")
# %%
@out3.capture(clear_output=True)
def shown():
    print("from the function")

shown()
out3
