# One object in each format.
from IPython.display import HTML, JSON, Latex, Markdown, Math, Pretty, display
Markdown("# Title\n\n- a\n- b")
# %%
HTML("<h2>Head</h2><p>A <b>bold</b> word and a <a href='https://example.org'>link</a>.</p>")
# %%
JSON({"a": [1, 2, {"b": None}]})
# %%
Latex(r"$\alpha + \beta$")
# %%
Math(r"\frac{1}{2}")
# %%
display(Pretty("pretty"), "text", 3)
# %%
display(HTML("<ul><li>one</li><li>two</li></ul>"), Markdown("*em*"))
# %%
HTML("<script>alert(1)</script>")
