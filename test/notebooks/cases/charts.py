# Charts that a browser draws.
class Plotly:
    def _ipython_display_(self):
        figure = {"data": [{"type": "bar", "name": "a", "x": [1, 2], "y": [3, 4]}], "layout": {"title": {"text": "Sales"}}}
        display({"application/vnd.plotly.v1+json": figure, "text/html": "<div></div>"}, raw=True)

Plotly()
# %%
class Altair:
    def _repr_mimebundle_(self, include=None, exclude=None):
        spec = {"mark": "point", "encoding": {"x": {"field": "a", "type": "quantitative"}, "y": {"aggregate": "mean", "field": "b"}},
                "data": {"values": [{"a": 1, "b": 2}]}}
        return {"application/vnd.vegalite.v5+json": spec, "text/plain": "alt.Chart(...)"}

Altair()
# %%
class Map:
    def _repr_html_(self):
        page = "&lt;script&gt;var map = L.map(&quot;m&quot;, {center: [45.5, -122.6], zoom: 13}); L.marker([45.5, -122.6]).addTo(map);&lt;/script&gt;"
        return f'<div><span>Make this Notebook Trusted to load map</span><iframe srcdoc="{page}"></iframe></div>'

Map()
