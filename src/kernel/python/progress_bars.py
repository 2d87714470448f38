"""Progress bars without ipywidgets, which few environments have: tqdm.notebook would refuse to work, and Rich would only warn.

They are drawn as text, in one line that is written again and again, as in a terminal. With ipywidgets nothing is changed.
"""

import contextlib
import importlib.util
import sys

from _omp import adapted

ERASE = "\r\x1b[K"


def install():
    adapted.when_imported("tqdm.notebook", _adapt_tqdm)
    adapted.when_imported("rich.live", _adapt_rich)


def _has_widgets():
    try:
        return importlib.util.find_spec("ipywidgets") is not None
    except (ImportError, ValueError):
        return False


def _adapt_tqdm(module):
    if _has_widgets():
        return
    from tqdm import std

    class tqdm_notebook(std.tqdm):
        def __init__(self, *args, display=True, **kwargs):
            super().__init__(*args, **kwargs)

    def trange(*args, **kwargs):
        return tqdm_notebook(range(*args), **kwargs)

    # tqdm.auto asks for this one before it takes the others.
    module.IProgress = tqdm_notebook
    module.tqdm = module.tqdm_notebook = tqdm_notebook
    module.trange = module.tnrange = trange


def _adapt_rich(module):
    if _has_widgets():
        return
    live = module.Live
    refresh, stop = live.refresh, live.stop

    def is_ours(self):
        return self.console.is_jupyter and not getattr(self, "_nested", False)

    def refresh_line(self):
        if not is_ours(self):
            return refresh(self)
        with self._lock:
            return _write(self, ERASE + "  ".join(line.strip() for line in _lines(self)))

    def stop_with_lines(self):
        if not is_ours(self) or not getattr(self, "_started", False):
            return stop(self)
        # As in a file, where the last state is printed once.
        with self._lock:
            _write(self, ERASE)
            self.console.is_jupyter = False
        try:
            return stop(self)
        finally:
            self.console.is_jupyter = True

    live.refresh, live.stop = refresh_line, stop_with_lines


def _lines(live):
    from rich.color import ColorSystem

    system = None if live.console.no_color else ColorSystem.EIGHT_BIT
    rows = live.console.render_lines(live.renderable, pad=False)
    return [
        "".join(
            segment.style.render(segment.text, color_system=system) if segment.style else segment.text
            for segment in row
            if not segment.control
        ).rstrip()
        for row in rows
    ]


def _write(live, text):
    """Past Rich, which takes what is printed meanwhile."""
    stream = getattr(live, "_restore_stdout", None) or sys.stdout
    stream = getattr(stream, "rich_proxied_file", stream)
    with contextlib.suppress(ValueError):
        stream.write(text)
        stream.flush()
