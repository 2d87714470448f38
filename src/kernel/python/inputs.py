"""`omp.inputs`: what was too large for the conversation (stdin, pastes, files), read from disk only when it is asked for.

Where the kernel does not see the file, omp sends it piece by piece.
"""

import atexit
import base64
import contextlib
import io
import json
import os
import re
import shutil
import tempfile

from _omp.calls import ToolError, calls

BLOCK = 1 << 20
WITHOUT_MARK = {"utf-8": "utf-8-sig", "utf-16le": "utf-16", "utf-16be": "utf-16"}
"""The codecs that leave out the byte order mark at the start."""


class Inputs:
    """The session's large inputs by name, such as omp.inputs.stdin; list(omp.inputs) has the names."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        found = _described().get(name)
        if found is None:
            names = ", ".join(_described()) or "there are none"
            raise AttributeError(f"omp.inputs has no '{name}': {names}")
        return Input(found)

    def __getitem__(self, name):
        found = _described().get(name)
        if found is None:
            raise KeyError(name)
        return Input(found)

    def __iter__(self):
        return iter(_described())

    def __len__(self):
        return len(_described())

    def __contains__(self, name):
        return name in _described()

    def __dir__(self):
        return list(_described())

    def __repr__(self):
        return f"<omp.inputs: {', '.join(_described()) or 'none'}>"


def _described():
    answer = calls.call("omp.inputs", "inputs", {})
    return {each["name"]: each for each in answer.get("inputs") or ()}


class Input:
    """Text or data of any size: `for line in x`, head, tail, grep, `"word" in x`, text, json, open, path, size."""

    def __init__(self, found):
        self.name = found["name"]
        self.kind = found["kind"]
        self.size = found.get("bytes", 0)
        self.line_count = found.get("lines")
        self.encoding = found.get("encoding") or "utf-8"
        if found.get("isGone"):
            raise ToolError(f"omp.inputs.{self.name}: its file is gone: {found['path']} (INPUT_GONE)")
        self._source = found["path"]
        self._is_here = _is_same(found)
        self._fetched = None

    @property
    def path(self):
        """Of a file on the kernel's machine. Elsewhere than on the user's, asking for it fetches the whole of it once."""
        if self._is_here:
            return self._source
        if self._fetched is None:
            self._fetched = _fetch(self)
        return self._fetched

    def open(self, mode="r"):
        """A file object: text, or bytes with "rb"."""
        if mode not in ("r", "rt", "rb"):
            raise ValueError(f"omp.inputs.{self.name} can only be read: mode must be 'r' or 'rb'")
        here = self._source if self._is_here else self._fetched
        file = open(here, "rb", BLOCK) if here else io.BufferedReader(_Remote(self), BLOCK)
        if mode == "rb":
            return file
        return io.TextIOWrapper(file, WITHOUT_MARK[self.encoding], errors="replace")

    def lines(self):
        """One line after the other, without its end."""
        with self.open() as file:
            for line in file:
                yield line[:-1] if line.endswith("\n") else line

    __iter__ = lines

    def text(self):
        """All of it, in memory."""
        with self.open() as file:
            return file.read()

    __str__ = text

    def json(self):
        """Its value; for JSON Lines, a list of values."""
        if self.kind == "JSON Lines":
            return [json.loads(line) for line in self.lines() if line.strip()]
        with self.open() as file:
            return json.load(file)

    def head(self, n=10):
        """The first lines, as text."""
        with self.open() as file:
            return "".join(line for _, line in zip(range(n), file))

    def tail(self, n=10):
        """The last lines, as text. Reads only the end."""
        with self.open("rb") as file:
            end = b""
            at = self.size
            feed = "\n".encode(self.encoding)
            while at > 0 and end.count(feed) <= n:
                start = max(0, at - BLOCK)
                file.seek(start)
                end = file.read(at - start) + end
                at = start
        text = end.decode(self.encoding, errors="replace")
        lines = io.StringIO(text.lstrip("\ufeff") if at == 0 else text, newline=None).readlines()
        return "".join(lines[-n:]) if n > 0 else ""

    def grep(self, pattern, limit=None):
        """The lines with a match of a regular expression, as [(number, line)], at most `limit` of them."""
        expression = re.compile(pattern, re.MULTILINE)
        found = []
        number = 1
        for block in self._blocks():
            at = counted = 0
            match = expression.search(block)
            while match and (limit is None or len(found) < limit):
                start = block.rfind("\n", 0, match.start()) + 1
                end = block.find("\n", match.start())
                end = len(block) if end < 0 else end
                number += block.count("\n", counted, start)
                counted = start
                found.append((number, block[start:end]))
                at = end + 1
                match = expression.search(block, at) if at < len(block) else None
            number += block.count("\n", counted)
            if limit is not None and len(found) >= limit:
                break
        return found

    def _blocks(self):
        """Whole lines, as far as they are not endless."""
        with self.open() as file:
            rest = ""
            while True:
                block = file.read(BLOCK)
                if not block:
                    break
                rest += block
                cut = rest.rfind("\n") + 1
                if cut == 0 and len(rest) < 16 * BLOCK:
                    continue
                cut = cut or len(rest)
                yield rest[:cut]
                rest = rest[cut:]
            if rest:
                yield rest

    def __contains__(self, needle):
        wanted = needle.encode(self.encoding) if isinstance(needle, str) else bytes(needle)
        before = b""
        with self.open("rb") as file:
            while True:
                block = file.read(BLOCK)
                if not block:
                    return wanted == b""
                if wanted in before + block:
                    return True
                before = block[-(len(wanted) - 1) :] if len(wanted) > 1 else b""

    def __repr__(self):
        lines = "" if self.line_count is None else f", {self.line_count:,} lines"
        there = "" if self._is_here else ", on the user's machine: read piece by piece"
        return (
            f"<omp.inputs.{self.name}: {self.kind}, {self.size:,} bytes{lines}{there}; "
            "lines(), head(n), tail(n), grep(regex), 'x' in it, text(), json(), open(), path>"
        )


class _Remote(io.RawIOBase):
    """A file that only omp can open."""

    def __init__(self, owner):
        self._name = owner.name
        self._size = owner.size
        self._at = 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def seek(self, offset, whence=os.SEEK_SET):
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def tell(self):
        return self._at

    def readinto(self, buffer):
        request = {"name": self._name, "offset": self._at, "length": min(len(buffer), BLOCK)}
        piece = base64.b64decode(calls.call(f"omp.inputs.{self._name}", "inputs", request)["base64"])
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)


def _is_same(found):
    """Whether the path leads here to the very file: on another machine there may be one of the same name."""
    with contextlib.suppress(OSError):
        there = os.stat(found["path"])
        is_equal = there.st_size == found.get("bytes") and str(there.st_mtime_ns) == found.get("changed")
        return is_equal and os.access(found["path"], os.R_OK)
    return False


def _fetch(owner):
    directory = tempfile.mkdtemp(prefix="omp-input-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    path = os.path.join(directory, os.path.basename(owner._source))
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as copy, owner.open("rb") as file:
        shutil.copyfileobj(file, copy, BLOCK)
    return path
