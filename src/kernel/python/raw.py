"""Output that is not text: shown as well as possible, and sent along as bytes."""

import base64
import codecs

RAW = "omp_bytes"
"""In the metadata of a stream message: what was really written, in base64, where its text is only what can be shown of it."""


class RawPiece:
    """Takes the stream's position in the pending text, with a piece of its output that is not UTF-8."""

    def __init__(self, stream, data):
        self.name = stream.name
        self.topic = stream.topic
        self.metadata = {RAW: base64.b64encode(data).decode()}


def decoder():
    """Keeps characters that are cut, and bytes that are no characters."""
    return codecs.getincrementaldecoder("utf-8")(errors="surrogateescape")


def decode(stream, incremental, data):
    """The source of the text (the stream, or a piece that has the bytes, too), and the text; empty while a character is cut."""
    text = incremental.decode(data)
    if text.isascii():
        return stream, text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raw = text.encode("utf-8", "surrogateescape")
        return RawPiece(stream, raw), raw.decode("utf-8", "replace")
    return stream, text
