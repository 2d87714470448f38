"""Status events: what a helper did, for the user interface and not for the model.

An event describes itself, so that no renderer needs to know the helper: {"op", "label", "detail"}; label is a finished
sentence part ("Wrote app.py"), detail holds simple values by name.
"""

STATUS_MIME = "application/x-omp-status"


def report(op, label, **detail):
    from IPython import get_ipython

    shell = get_ipython()
    if shell is not None:
        shell.display_pub.publish({STATUS_MIME: {"op": op, "label": label, "detail": detail}})
