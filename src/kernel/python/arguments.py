"""What cells give omp as arguments, as JSON can carry it. What it cannot carry is an error that names the argument, before anything is sent."""

import datetime
import math
import numbers
import os


def plain(called, arguments):
    """The arguments of a call, by their names. TypeError or ValueError for what no JSON stands for."""
    return {name: _plain(value, called, name) for name, value in arguments.items()}


def whole_number(called, name, value):
    """At least 1, or None. Anything else would be left out without a word."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
        raise ValueError(f"{called}: {name} must be a whole number of at least 1, not {value!r}")
    return int(value)


def text(called, name, value):
    """A text, or None."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{called}: {name} must be a text, not {type(value).__name__}")
    return value


def _plain(value, called, name):
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise ValueError(f"{called}: {name} is {value}, which JSON has no number for")
        return float(value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): _plain(each, called, f"{name}[{key!r}]") for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(each, called, f"{name}[{index}]") for index, each in enumerate(value)]
    if isinstance(value, (bytes, bytearray)):
        raise TypeError(f"{called}: {name} is bytes; decode it to a text first")
    # Arrays, series and their scalars.
    if hasattr(value, "tolist"):
        return _plain(value.tolist(), called, name)
    raise TypeError(f"{called}: {name} is of the type {type(value).__name__}; give text, numbers, lists or dicts")
