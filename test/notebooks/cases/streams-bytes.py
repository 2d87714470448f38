# The buffer below the text.
import sys
sys.stdout.write("text\n")
sys.stdout.flush()
# %%
print("NUL between", "a\0b", "and after")
for row in range(3):
    print(f"row {row}\0{row * 2}")
# %%
print("ends")
# %%
import os
os.write(1, "straight to the descriptor äöü\n".encode())
