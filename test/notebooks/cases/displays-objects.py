# Objects that know how to show themselves.
class Html:
    def _repr_html_(self):
        return "<b>html</b>"

class Both(Html):
    def __repr__(self):
        return "plain"

Html()
# %%
Both()
# %%
class Bundle:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": "bundle", "text/markdown": "**bundle**"}

Bundle()
# %%
class Own:
    def _ipython_display_(self):
        print("shows itself")

Own()
# %%
class Broken:
    def __repr__(self):
        raise ValueError("no repr")

Broken()
# %%
class BrokenHtml:
    def __repr__(self):
        return "readable"

    def _repr_html_(self):
        raise RuntimeError("no html")

BrokenHtml()
# %%
class Metadata:
    def _repr_json_(self):
        return {"a": 1}, {"expanded": True}

Metadata()
