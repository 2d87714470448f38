# Programs that a cell starts.
import subprocess
print(subprocess.run("echo captured; exit 3", shell=True, capture_output=True, text=True))
# %%
!echo escaped
# %%
lines = !printf 'a\nb\n'
lines
# %%
!echo to stderr 1>&2
# %%
name = "world"
!echo hello {name} $name
# %%
subprocess.check_call(["false"])
