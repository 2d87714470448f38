# Programs that write to the descriptors of the kernel.
import subprocess
subprocess.run(["echo", "from a child"])
# %%
import os
os.system("echo system")
