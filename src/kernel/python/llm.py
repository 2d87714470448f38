"""`omp.llm`: a model's answer to a prompt, as text or as a value; `omp.llm.map`: many at a time."""

import base64
import os
import queue
import sys
import time
import uuid

from _omp import arguments, questions, schemas
from _omp.calls import Image, ToolError, calls, checked

NAME = "omp.llm"
SIGNATURES = {b"\x89PNG": "image/png", b"\xff\xd8": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}
FIRST_PROGRESS_S = 1.0
PROGRESS_S = 0.5


class Llm:
    """omp.llm("Say hello"): the session's model answers, without the conversation and without tools."""

    def __call__(self, prompt, *, model=None, system=None, schema=None, images=None, max_tokens=None):
        request = {**_options(model, system, schema, max_tokens), **_asked(prompt, images)}
        return _value(calls.call(NAME, "llm", request), schema)

    async def aio(self, prompt, *, model=None, system=None, schema=None, images=None, max_tokens=None):
        request = {**_options(model, system, schema, max_tokens), **_asked(prompt, images)}
        return _value(await calls.call_async(NAME, "llm", request), schema)

    def map(self, items, prompt, concurrency=8, *, model=None, system=None, schema=None, max_tokens=None):
        """The answers in the order of the items; an answer that failed is its omp.ToolError.

        prompt is a function of an item, or a text in which {item} is replaced; without {item} the item follows it.
        """
        concurrency = arguments.whole_number(f"{NAME}.map", "concurrency", concurrency) or 1
        ask = prompt if callable(prompt) else _filled(prompt)
        _check_items(items)
        options = _options(model, system, schema, max_tokens)
        requests = [(lambda item=item: {**options, **_asked(ask(item))}) for item in items]
        return _Batch(requests, schema, concurrency).run()

    def __repr__(self):
        return "<omp.llm: omp.llm(prompt), omp.llm.map(items, prompt)>"


def _options(model, system, schema, max_tokens):
    return {
        "model": arguments.text(NAME, "model", model),
        "system": arguments.text(NAME, "system", system),
        "schema": None if schema is None else schemas.json_schema(schema),
        "maxTokens": arguments.whole_number(NAME, "max_tokens", max_tokens),
    }


def _asked(prompt, images=None):
    if isinstance(images, (str, bytes, os.PathLike, Image)):
        raise TypeError(f"{NAME}: images must be a list, such as images=['chart.png']")
    return {"prompt": str(prompt), "images": [_image(each) for each in images or ()]}


def _value(answer, schema):
    return answer["text"] if schema is None else schemas.make(schema, answer["value"])


def _check_items(items):
    """Letters of a text and columns of a table would be asked for without a word, and paid."""
    if isinstance(items, (str, bytes)):
        raise TypeError(f"{NAME}.map: items must be a list, not {type(items).__name__}")
    if hasattr(items, "columns") and hasattr(items, "shape"):
        raise TypeError(f"{NAME}.map: items is a {type(items).__name__}; give one of its columns, or its rows")


def _filled(text):
    if not isinstance(text, str):
        raise TypeError(f"{NAME}.map: prompt must be a text or a function of an item, not {type(text).__name__}")
    if "{item}" in text:
        return lambda item: text.replace("{item}", str(item))
    return lambda item: f"{text}\n\n{item}"


def _image(given):
    """Bytes, a path, a picture of a result, or what IPython would show as PNG, such as a figure."""
    if isinstance(given, Image):
        return {"mediaType": given.media_type, "base64": base64.b64encode(given.data).decode()}
    if isinstance(given, (str, os.PathLike)):
        with open(given, "rb") as file:
            given = file.read()
    elif not isinstance(given, (bytes, bytearray)):
        given = _shown(given)
    kind = next((kind for start, kind in SIGNATURES.items() if given.startswith(start)), None)
    if kind is None:
        raise ValueError("omp.llm: an image must be PNG, JPEG, GIF or WebP")
    return {"mediaType": kind, "base64": base64.b64encode(given).decode()}


def _shown(given):
    """As a cell would show it: figures have no picture of their own, IPython draws them. Of axes, their figure."""
    from IPython import get_ipython

    given = getattr(given, "figure", None) or given
    formats, _ = get_ipython().display_formatter.format(given, include=["image/png"])
    picture = formats.get("image/png", b"")
    return base64.b64decode(picture) if isinstance(picture, str) else picture


class _Batch:
    """Asks without a thread for each: the control thread puts what was answered into a queue.

    Twice as many questions are open as omp answers at a time, so that it never waits for the next one.
    """

    def __init__(self, requests, schema, concurrency):
        self._requests = requests
        self._schema = schema
        self._group = {"group": uuid.uuid4().hex, "atOnce": concurrency}
        self._most_open = 2 * concurrency
        self._results = [None] * len(requests)
        self._answered = queue.SimpleQueue()
        self._open = {}
        self._progress = _Progress(len(requests))

    def run(self):
        try:
            for number, request in enumerate(self._requests):
                while len(self._open) >= self._most_open:
                    self._take()
                self._begin(number, request)
            while self._open:
                self._take()
        finally:
            # After an interrupt: nobody waits for the rest.
            for question in self._open.values():
                question.withdraw()
            self._progress.end()
        return self._results

    def _begin(self, number, request):
        question = calls.question(NAME)
        try:
            asked = {**request(), **self._group}
        except Exception as error:
            # Of one item of many: what the others have cost is not to be lost.
            self._set(number, _failed(f"the prompt of item {number} failed", error))
            return
        self._open[number] = question
        question.begin("llm", asked, lambda: self._answered.put(number))

    def _take(self):
        try:
            number = self._answered.get(timeout=questions.WAIT_S)
        except queue.Empty:
            for question in self._open.values():
                question.expect_life()
            return
        try:
            result = _value(checked(self._open.pop(number).end()), self._schema)
        except ToolError as error:
            result = error
        except Exception as error:
            result = _failed("the schema's class did not take the answer", error)
        self._set(number, result)

    def _set(self, number, result):
        self._results[number] = result
        self._progress.add(isinstance(result, ToolError))


def _failed(issue, error):
    """An error of the cell's own code as the value of one item, with its cause."""
    failed = ToolError(f"{NAME}.map: {issue}: {type(error).__name__}: {error}")
    failed.__cause__ = error
    return failed


class _Progress:
    """One line that is written over itself, for what takes longer than a moment."""

    def __init__(self, total):
        self._total = total
        self._done = self._failed = 0
        self._next = time.monotonic() + FIRST_PROGRESS_S
        self._is_shown = False

    def add(self, is_failed):
        self._done += 1
        self._failed += is_failed
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + PROGRESS_S
            self._is_shown = True
            self._show()

    def end(self):
        if self._is_shown:
            self._show("\n")

    def _show(self, end=""):
        failed = f", {self._failed} failed" if self._failed else ""
        sys.stderr.write(f"\romp.llm.map: {self._done} of {self._total}{failed}{end}")
        sys.stderr.flush()
