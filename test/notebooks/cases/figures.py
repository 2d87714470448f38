# matplotlib, inline.
%matplotlib inline
import matplotlib.pyplot as plt
_ = plt.plot([1, 2, 3])
# %%
fig, axes = plt.subplots(1, 2, figsize=(4, 2))
axes[0].bar([1, 2], [3, 4])
fig.suptitle("two")
plt.show()
# %%
print("first")
plt.figure(figsize=(2, 1))
plt.plot([1, 0])
plt.show()
print("second")
plt.figure(figsize=(1, 1))
plt.plot([0, 1])
plt.show()
# %%
plt.plot([1, 2])
# %%
plt.close("all")
fig
# %%
%config InlineBackend.figure_formats = ["svg"]
_ = plt.plot([1, 2, 3])
# %%
%config InlineBackend.figure_formats = ["retina"]
_ = plt.plot([3, 2, 1])
# %%
%config InlineBackend.close_figures = False
%config InlineBackend.figure_formats = ["png"]
f = plt.figure(figsize=(4.608, 3.456))
_ = plt.plot([1])
