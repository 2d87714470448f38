# Directory, modules and variables of the process.
import os, pathlib
pathlib.Path("made.txt").write_text("content")
sorted(path.name for path in pathlib.Path().glob("*.txt"))
# %%
os.mkdir("below")
os.chdir("below")
pathlib.Path.cwd().name
# %%
!pwd | xargs basename
# %%
os.chdir("..")
%cd -q below
os.path.basename(os.getcwd())
# %%
os.environ["OMP_CHILD"] = "seen"
!echo $OMP_CHILD
# %%
import sys
sys.path[0] in ("", os.getcwd())
