"""The traceback of an endless recursion: its beginning and its end.

IPython formats each of a thousand and more frames, which takes half a minute and hides the error in 300 kB of text.
"""

import types

MOST_FRAMES = 100
"""Shorter tracebacks stay as they are."""

SHOWN_FRAMES = 4
"""At each end."""

MOST_KINDS = 20
"""A long traceback with more places in the code than this is no recursion."""


def install(shell):
    """Wraps get_records, which every format but the plainest uses, once for each error of a chain."""
    from IPython.core.ultratb import FrameInfo
    from stack_data.core import RepeatedFrames

    formatter = shell.InteractiveTB
    get_records = formatter.get_records

    def get_shortened_records(etb, context, tb_offset):
        entries = _entries(etb)
        middle = entries[SHOWN_FRAMES + tb_offset : -SHOWN_FRAMES]
        places = [(entry.tb_frame.f_code, entry.tb_lineno) for entry in middle]
        if len(entries) <= MOST_FRAMES or len(set(places)) > MOST_KINDS:
            return get_records(etb, context, tb_offset)
        head = _chain(entries[: SHOWN_FRAMES + tb_offset])
        skipped = FrameInfo._from_stack_data_FrameInfo(RepeatedFrames(middle, places))
        return [
            *get_records(head, context, tb_offset),
            skipped,
            *get_records(entries[-SHOWN_FRAMES], context, 0),
        ]

    formatter.get_records = get_shortened_records


def _entries(traceback):
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    return entries


def _chain(entries):
    """A traceback of these entries alone."""
    following = None
    for entry in reversed(entries):
        following = types.TracebackType(following, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return following
