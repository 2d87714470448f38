# Data frames.
import pandas as pd
df = pd.DataFrame({"name": ["ä", "b", "c"], "n": [1, 2, 3], "x": [0.5, None, 1e10]})
df
# %%
df.describe()
# %%
df["n"]
# %%
pd.DataFrame({f"column {i}": range(100) for i in range(30)})
# %%
df.groupby("name").sum()
# %%
pd.DataFrame({("a", "x"): [1], ("a", "y"): [2], ("b", "x"): [3]})
# %%
print(df)
# %%
df.info()
# %%
pd.DataFrame()
# %%
pd.DataFrame({"a": [1, 2], "b": [0.123456, 2]}).style.format(precision=2).set_caption("Styled")
# %%
class GreatTable:
    def __repr__(self):
        return "GT(" + ", ".join(f"_field_{i}=<object of the table {i}>" for i in range(200)) + ")"

    def _repr_html_(self):
        return "<style>td {color: red}</style><table><thead><tr><th>k</th><th>v</th></tr></thead><tbody><tr><td>a</td><td>1</td></tr></tbody></table>"

GreatTable()
# %%
class Address:
    def _repr_html_(self):
        return "<p>readable</p>"

Address()
