"""Charts that a browser draws: one browser a library, started with its first chart and ended when none has come for a while.

Starting one takes seconds, a chart a few hundred milliseconds. Nothing is looked up in a network.
"""

import asyncio
import io
import os
import queue
import threading

IDLE_SECONDS = 20.0

_browsers = {}


def draw(library, chart):
    """The chart as PNG, as soon as there is one. Raises what the library raises."""
    answer = queue.SimpleQueue()
    browser = _browsers.get(library)
    if browser is None or not browser.take(chart, answer):
        browser = _browsers[library] = _Browser(LIBRARIES[library])
        browser.take(chart, answer)
    picture = answer.get()
    if isinstance(picture, BaseException):
        raise picture
    return picture


class _Browser:
    """A generator that draws what is sent to it, in a thread of its own."""

    def __init__(self, library):
        self._charts = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._is_over = False
        threading.Thread(target=self._work, args=(library(),), name="omp-browser", daemon=True).start()

    def take(self, chart, answer):
        """Whether it will be answered."""
        with self._lock:
            if not self._is_over:
                self._charts.put((chart, answer))
            return not self._is_over

    def _work(self, drawing):
        problem = None
        try:
            next(drawing)
        except Exception as error:
            problem = error
        while (work := self._next()) is not None:
            chart, answer = work
            try:
                answer.put(problem or drawing.send(chart))
            except Exception as error:
                problem = error
                answer.put(error)
        drawing.close()

    def _next(self):
        try:
            return self._charts.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            with self._lock:
                self._is_over = self._charts.empty()
            return None if self._is_over else self._charts.get()


def _plotly():
    """By Kaleido. Plotly's own way starts a browser for each figure, and loads MathJax from the network before it draws."""
    import kaleido
    import plotly.io

    defaults = getattr(plotly.io, "defaults", None)
    if defaults is None or not hasattr(kaleido, "Kaleido"):
        spec = yield None
        while True:
            spec = yield plotly.io.to_image(_figure_of(spec), format="png", validate=False)
    loop = asyncio.new_event_loop()
    renderer = kaleido.Kaleido(n=1, plotlyjs=defaults.plotlyjs or None, mathjax=defaults.mathjax or False)
    loop.run_until_complete(renderer.__aenter__())
    try:
        picture = None
        while True:
            spec = yield picture
            layout = spec.get("layout", {})
            sides = {side: layout.get(side) or getattr(defaults, f"default_{side}") for side in ("width", "height")}
            options = {"format": "png", "scale": defaults.default_scale, **sides}
            drawing = renderer.calc_fig(_figure_of(spec), opts=options, topojson=defaults.topojson)
            picture = loop.run_until_complete(drawing)
    finally:
        loop.run_until_complete(renderer.__aexit__(None, None, None))
        loop.close()


def _figure_of(spec):
    return {key: spec[key] for key in ("data", "layout") if key in spec}


def _bokeh():
    from bokeh.io import webdriver
    from bokeh.io.export import get_screenshot_as_png

    # Chromium refuses to run as root in its sandbox.
    options = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
    try:
        driver = webdriver.create_chromium_webdriver(options)
    except Exception:
        driver = webdriver.create_firefox_webdriver()
    try:
        picture = None
        while True:
            model = yield picture
            data = io.BytesIO()
            get_screenshot_as_png(model, driver=driver).save(data, "PNG")
            picture = data.getvalue()
    finally:
        driver.quit()


LIBRARIES = {"plotly": _plotly, "bokeh": _bokeh}
