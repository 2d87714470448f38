# Widgets are their text.
import ipywidgets as widgets
widgets.IntSlider(value=3, description="n")
# %%
box = widgets.VBox([widgets.Label("label"), widgets.HTML("<b>bold</b>")])
box
# %%
choice = widgets.Dropdown(options=["a", "b"], value="b", description="pick")
display(choice)
choice.value = "a"
# %%
text = widgets.Text("typed")
text.value
# %%
button = widgets.Button(description="press")
button.on_click(lambda b: print("pressed"))
button.click()
