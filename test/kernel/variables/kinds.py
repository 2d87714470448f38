# About sixty kinds of values, for round-trip.test.ts; kinds_checks.py looks at them in another kernel.
import abc, collections, dataclasses, datetime, decimal, enum, fractions, functools, io, itertools, operator, os.path
import pathlib, re, sqlite3, threading, typing, uuid
import numpy as np

none, yes, n, big, f, cx, s, b = None, True, 1, 10**50, 1.5, 1 + 2j, "text", b"bytes"
t, lst, d, st, fs = (1, "a"), [1, 2, 3], {"a": 1}, {1, 2}, frozenset({1})
ba, rng, sl = bytearray(b"xy"), range(3), slice(1, 2)
dq, dd, od, cn = collections.deque([1], maxlen=3), collections.defaultdict(list, a=[1]), collections.OrderedDict(a=1), collections.Counter("aab")
dt, td, dec, fr = datetime.datetime(2020, 1, 1), datetime.timedelta(1), decimal.Decimal("1.1"), fractions.Fraction(1, 3)
pth, rx, uid, exc, sio = pathlib.Path("/x"), re.compile("a+"), uuid.UUID(int=1), ValueError("bad"), io.StringIO("abc")
it, count, itemg, join = iter([1, 2, 3]), itertools.count(3), operator.itemgetter(1), os.path.join

# Shared and recursive
nested = {"l": lst, "d": d}
alias = lst
loop = []
loop.append(loop)
one = []
two = [one]
one.append(two)
unnamed = [1]
left, right = {"h": unnamed}, {"h": unnamed}
del unnamed

# Arrays
arr, small, farr = np.arange(100_000), np.zeros(3), np.asfortranarray(np.ones((300, 300)))
view, strided, objarr, rec = arr[:10], arr[::7], np.array([lst, None], dtype=object), np.array([(1, 2.0)], dtype=[("a", int), ("b", float)])

# Classes of cells
factor = 7


@dataclasses.dataclass
class P:
    x: int
    y: list = dataclasses.field(default_factory=list)

    def scaled(self):
        return self.x * factor


p = P(3)
p2 = P(4, [p])
bound = p.scaled


class Color(enum.Enum):
    RED = 1
    BLUE = 2


red, colors = Color.RED, {Color.BLUE: 1}


class Base(abc.ABC):
    @abc.abstractmethod
    def go(self): ...


class Child(Base):
    __slots__ = ("v",)

    def __init__(self):
        super().__init__()
        self.v = 1

    def go(self):
        return helper(self.v)

    @property
    def double(self):
        return self.v * 2

    @classmethod
    def make(cls):
        return cls()

    @staticmethod
    def scale():
        return factor


child = Child()
NT = collections.namedtuple("NT", "a b")
nt = NT(1, 2)


class TN(typing.NamedTuple):
    q: int


tn = TN(4)
T = typing.TypeVar("T")


class Box(typing.Generic[T]):
    def __init__(self, v):
        self.v = v


box = Box(3)


class Node:
    def __init__(self, parent=None):
        self.parent, self.children = parent, []
        if parent is not None:
            parent.children.append(self)


root = Node()
leaf = Node(root)


# Functions of cells
def helper(v):
    return v + factor


def counter():
    c = 0

    def inc():
        nonlocal c
        c += 1
        return c

    def get():
        return c

    return inc, get


inc, get = counter()
inc()
add_n = lambda v: v + n
partial = functools.partial(helper, 5)


def gen():
    yield factor


@functools.lru_cache(None)
def fib(k):
    return k if k < 2 else fib(k - 1) + fib(k - 2)


def adding(fn):
    @functools.wraps(fn)
    def inner(*a):
        return fn(*a) + factor

    return inner


@adding
def wrapped(a):
    return a


def kw(a, *, b=2, **c) -> int:
    "doc"
    return a + b


kw.attr = 5


def ping(k):
    return 0 if k == 0 else pong(k - 1)


def pong(k):
    return ping(k)


async def co():
    return factor


# What cannot be kept
g, lock, conn, fh = gen(), threading.Lock(), sqlite3.connect(":memory:"), open("/dev/null")
thread = threading.Thread(target=helper)
holds_lock = {"l": lock}
