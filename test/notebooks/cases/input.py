# Nobody answers.
input("name? ")
# %%
import getpass
getpass.getpass()
# %%
try:
    input()
except Exception as error:
    print(type(error).__name__)
