# The value of the last expression.
1 + 1
# %%
x = 5
# %%
x;
# %%
None
# %%
[i ** 2 for i in range(40)]
# %%
{"nested": {"list": [1, (2, 3), {4}], "text": "x" * 90, "none": None}}
# %%
_
# %%
"multi\nline"
# %%
import decimal, datetime, enum, dataclasses

class Colour(enum.Enum):
    RED = 1

@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.5

Colour.RED, Point(1), decimal.Decimal("1.10"), datetime.date(2024, 2, 29)
# %%
print, int, lambda: 0
