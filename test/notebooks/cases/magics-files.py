%%writefile helper_module.py
VALUE = 1

def greet(name):
    return f"hello {name}"
# %%
import helper_module
helper_module.greet("you"), helper_module.VALUE
# %%
%%writefile -a helper_module.py
OTHER = 2
# %%
import importlib
importlib.reload(helper_module).OTHER
# %%
%%writefile script.py
import sys
print("script", __name__, sys.argv[1:])
result = 42
# %%
%run script.py one two
result
# %%
%run missing.py
# %%
%cat script.py
# %%
%rm script.py helper_module.py
