# What a terminal would show of progress that rewrites its line.
for i in range(0, 101, 20):
    print(f"\r{i:3d}%", end="")
print()
# %%
print("abc\b\b\bxyz")
print("long line here\rshort")
# %%
print("12345\r\x1b[Kcleared")
print("windows\r\nline ends\r\n", end="")
# %%
print("\tindented\tby tabs")
print("form\x0cfeed and bell\x07")
