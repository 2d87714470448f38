"""A PNG beside what only a browser draws: figures in SVG or PDF, charts of Plotly, Altair and Bokeh.

The library's own renderer makes it, where that is installed. One that failed is not tried again, and one that takes too long not
before it is done. Nothing is imported that the user has not imported.
"""

import base64
import importlib.util
import io
import re
import sys
import threading

from _omp import browsers, plotly_display

RENDER_SECONDS = 10.0
"""A browser that does not start must not use up the time of the cell."""

PNG = "image/png"
RASTER = frozenset({PNG, "image/jpeg", "image/gif", "image/webp"})
VEGALITE = re.compile(r"application/vnd\.vegalite\.v\d+(\+json|\.json)")
BOKEH = "application/vnd.bokehjs_exec.v0+json"
PLOTLY = "application/vnd.plotly.v1+json"

_failed = set()
_late = {}
"""The threads of renderers that are still at work on a picture that nobody waits for any more."""


def install(shell):
    """Objects pass display_formatter.format, ready bundles display_pub.publish."""
    plotly_display.install()
    format_object = shell.display_formatter.format
    publish_bundle = shell.display_pub.publish

    def format(obj, include=None, exclude=None):
        data, metadata = format_object(obj, include, exclude)
        if include is None and exclude is None and data and not RASTER & data.keys():
            png = _of_object(obj, data)
            if png is not None:
                data = {**data, PNG: png}
        return data, metadata

    def publish(data, *args, **kwargs):
        if isinstance(data, dict) and not RASTER & data.keys():
            png = _of_bundle(data, args[0] if args else kwargs.get("metadata"))
            if png is not None:
                data = {**data, PNG: png}
        return publish_bundle(data, *args, **kwargs)

    shell.display_formatter.format = format
    shell.display_pub.publish = publish


def _of_object(obj, data):
    module = type(obj).__module__ or ""
    figure = getattr(sys.modules.get("matplotlib.figure"), "Figure", ())
    if isinstance(obj, figure) and (data.keys() & {"image/svg+xml", "application/pdf"}):
        return _attempt("matplotlib", lambda: _figure(obj))
    if module.startswith("graphviz.") and hasattr(obj, "pipe"):
        return _attempt("graphviz", lambda: obj.pipe(format="png"))
    if module.startswith("altair.") and hasattr(obj, "to_dict"):
        return _attempt("vl_convert", lambda: _vegalite(obj.to_dict()), needs="vl_convert")
    return _of_bundle(data, None)


def _of_bundle(data, metadata):
    if PLOTLY in data:
        return _attempt("plotly", lambda: browsers.draw("plotly", data[PLOTLY]), needs="kaleido")
    vegalite = next((name for name in data if VEGALITE.fullmatch(name)), None)
    if vegalite is not None:
        return _attempt("vl_convert", lambda: _vegalite(data[vegalite]), needs="vl_convert")
    if BOKEH in data:
        model = _bokeh_model(((metadata or {}).get(BOKEH) or {}).get("id"))
        if model is not None:
            return _attempt("bokeh", lambda: browsers.draw("bokeh", model), needs="selenium")
    if "image/svg+xml" in data:
        return _attempt("cairosvg", lambda: _svg(data["image/svg+xml"]), needs="cairosvg")
    return None


def _attempt(renderer, render, needs=None):
    """The picture in base64, or None."""
    if renderer in _failed or (needs is not None and not _is_installed(needs)):
        return None
    if renderer in _late and _late[renderer].is_alive():
        return None
    made = []

    def work():
        try:
            made.append(render())
        except Exception:
            _failed.add(renderer)

    if renderer == "matplotlib":
        work()
    else:
        thread = threading.Thread(target=work, name=f"omp-{renderer}", daemon=True)
        thread.start()
        thread.join(RENDER_SECONDS)
        _late[renderer] = thread
    return base64.b64encode(made[0]).decode() if made and made[0] else None


def _is_installed(name):
    """Not where only the project has it: imports.py."""
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


def _figure(figure):
    data = io.BytesIO()
    figure.savefig(data, format="png", bbox_inches="tight")
    return data.getvalue()


def _vegalite(spec):
    import vl_convert

    return vl_convert.vegalite_to_png(spec)


def _svg(source):
    import cairosvg

    return cairosvg.svg2png(bytestring=source.encode() if isinstance(source, str) else source)


def _bokeh_model(identifier):
    """The figure that a bundle is of: Bokeh publishes its id and a script, and keeps no register of models."""
    model = getattr(sys.modules.get("bokeh.model"), "Model", None)
    if model is None or identifier is None or not _is_installed("selenium"):
        return None
    import gc

    return next((each for each in gc.get_objects() if isinstance(each, model) and each.id == identifier), None)
