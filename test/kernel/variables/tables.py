import matplotlib.pyplot as plt, pandas as pd
df = pd.DataFrame({"a": [1, 2, 3], "b": list("xyz")})
series, index, holder, frames = df["a"], df.index, {"df": df}, [df, df]
cat, moment = pd.Series(["a", "b"], dtype="category"), pd.Timestamp("2020-01-01", tz="UTC")
grouped = df.groupby("b")
fig, ax = plt.subplots()
ax.plot([1, 2], [3, 4])
plt.close(fig)
