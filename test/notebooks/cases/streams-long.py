# More than a model reads, but not more than a notebook keeps.
for i in range(1500):
    print("line", i)
# %%
print("y" * 20_000)
# %%
print("a\n" * 400, end="")
print("b" * 100)
