assert holder["df"] is df and frames[0] is df and frames[1] is df and list(df.b) == ["x", "y", "z"]
assert series.sum() == 6 and len(index) == 3 and str(cat.dtype) == "category" and moment.year == 2020
assert grouped.a.sum()["x"] == 1
assert ax.figure is fig and ax.lines[0].get_ydata()[1] == 4
assert isinstance(df, pd.DataFrame) and plt.figure is not None
