"""File, search and edit helpers for cells. They take paths relative to the working directory and return plain values."""

import os
import re

from _omp.status import report

SKIPPED = {".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".mypy_cache", ".pytest_cache"}
"""Directories that a search does not enter, unless it starts in one."""

LONGEST_LINE = 500
LARGEST_FILE = 8 << 20


def read_text(path, start=1, end=None):
    """Return a file's text, or only its lines start to end (counted from 1, both included)."""
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        if start == 1 and end is None:
            text = file.read()
        else:
            text = "".join(line for number, line in enumerate(file, 1) if start <= number and (end is None or number <= end))
    report("read", f"Read {path}", lines=text.count("\n"), start=start)
    return text


def write_text(path, text):
    """Write a file, making its directories if needed. Replaces what was there."""
    directory = os.path.dirname(os.fspath(path))
    if directory:
        os.makedirs(directory, exist_ok=True)
    existed = os.path.exists(path)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    report("write", f"{'Replaced' if existed else 'Wrote'} {path}", characters=len(text), lines=text.count("\n"))


def edit_text(path, old, new, every=False):
    """Replace old by new in a file and return how often. old must occur once, or every=True replaces all."""
    # Bytes that are no UTF-8 come back as they were.
    form = {"encoding": "utf-8", "errors": "surrogateescape", "newline": ""}
    with open(path, **form) as file:
        text = file.read()
    if 0 < text.count("\n") == text.count("\r\n"):
        old, new = _with_crlf(old), _with_crlf(new)
    count = text.count(old) if old else 0
    if count == 0:
        raise ValueError(f"{path}: the text to replace was not found" if old else "old must not be empty")
    if count > 1 and not every:
        raise ValueError(f"{path}: the text to replace occurs {count} times; give more of it, or every=True")
    with open(path, "w", **form) as file:
        file.write(text.replace(old, new))
    report("edit", f"Edited {path}", replaced=count)
    return count


def _with_crlf(text):
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def find_files(pattern="*", path=".", hidden=False):
    """Return the sorted paths of files under path that match a glob such as "*.py" or "src/**/*.ts"."""
    matches = _matcher(pattern)
    found = sorted(file for file in _files(path, hidden) if matches(os.path.relpath(file, path)))
    report("find", f"Found {len(found)} files for {pattern}", path=str(path))
    return found


def grep(pattern, path=".", glob="*", ignore_case=False, limit=200):
    """Return "file:line:text" for each line that matches a regular expression, in a file or under a directory."""
    wanted = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    matches = _matcher(glob)
    files = [os.fspath(path)] if os.path.isfile(path) else sorted(_files(path, hidden=False))
    found = []
    for file in files:
        if os.path.isfile(path) or matches(os.path.relpath(file, path)):
            found.extend(_matching_lines(file, wanted, limit - len(found)))
        if len(found) >= limit:
            break
    report("grep", f"Found {len(found)} lines for {pattern}", path=str(path), limited=len(found) >= limit)
    return found


def tree(path=".", depth=2, hidden=False):
    """Return the directory tree under path as indented text, depth levels deep."""
    lines = [f"{os.fspath(path)}/"]
    _add_tree(lines, os.fspath(path), depth, hidden, "  ")
    return "\n".join(lines)


def _add_tree(lines, directory, depth, hidden, indent):
    if depth <= 0:
        return
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: (not entry.is_dir(), entry.name))
    except OSError as error:
        lines.append(f"{indent}({error.strerror})")
        return
    for entry in entries:
        if entry.name.startswith(".") and not hidden:
            continue
        if not entry.is_dir(follow_symlinks=False):
            lines.append(f"{indent}{entry.name}")
        elif entry.name in SKIPPED:
            lines.append(f"{indent}{entry.name}/ (not shown)")
        else:
            lines.append(f"{indent}{entry.name}/")
            _add_tree(lines, entry.path, depth - 1, hidden, f"{indent}  ")


def _files(path, hidden):
    for directory, directories, names in os.walk(path):
        directories[:] = [name for name in directories if name not in SKIPPED and (hidden or not name.startswith("."))]
        for name in names:
            if hidden or not name.startswith("."):
                yield os.path.normpath(os.path.join(directory, name))


def _matching_lines(file, wanted, limit):
    try:
        if os.path.getsize(file) > LARGEST_FILE:
            return
        with open(file, "rb") as opened:
            data = opened.read()
    except OSError:
        return
    if b"\0" in data[:8192]:
        return
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if limit <= 0:
            return
        if wanted.search(line):
            limit -= 1
            yield f"{file}:{number}:{line[:LONGEST_LINE]}"


def _matcher(glob):
    """A glob without a slash is about the name, one with a slash about the whole relative path; ** crosses directories.

    Brackets mean a set of characters, and also themselves: app/[id]/page.tsx is a common name.
    """
    expression = re.compile(f"{_glob_expression(glob, SETS)}|{_glob_expression(glob, NO_SETS)}")
    if "/" in glob:
        return lambda relative: expression.fullmatch(relative) is not None
    return lambda relative: expression.fullmatch(os.path.basename(relative)) is not None


NO_SETS = r"(\*\*/|\*\*|\*|\?)"
SETS = NO_SETS[:-1] + r"|\[!?\]?[^\]]*\])"


def _glob_expression(glob, special):
    parts = re.split(special, glob)
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    translated = []
    for part in parts:
        if part in known:
            translated.append(known[part])
        elif special is SETS and part.startswith("[") and part.endswith("]") and len(part) > 2:
            translated.append("[^" + part[2:] if part[1] == "!" else part)
        else:
            translated.append(re.escape(part))
    return "".join(translated)
