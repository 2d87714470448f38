# Large values shorten themselves.
import numpy as np
np.arange(12).reshape(3, 4)
# %%
np.zeros((2000, 50))
# %%
list(range(2000))
# %%
"z" * 5000
# %%
{i: str(i) for i in range(300)}
# %%
np.array([np.nan, np.inf, -0.0]), np.float64(1.5)
