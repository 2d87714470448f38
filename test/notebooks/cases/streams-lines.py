# print in all its forms.
print("one")
print("two", "three", sep=", ", end="!\n")
print()
print("no newline", end="")
# %%
for i in range(3):
    print(i, end=" ")
# %%
import sys
sys.stdout.write("written\n")
sys.stdout.writelines(["a\n", "b\n"])
sys.stderr.write("to stderr\n")
# %%
print("x" * 300)
print(*range(50), sep="\n")
# %%
pass
