# Colours are for people.
print("\x1b[31mred\x1b[0m \x1b[1;32mgreen\x1b[0m")
# %%
print("\x1b]8;;https://example.org\x07link\x1b]8;;\x07")
print("\x1b[38;5;208morange\x1b[m and \x1b[4munderlined\x1b[24m")
# %%
class Coloured:
    def __repr__(self):
        return "\x1b[35mpurple\x1b[0m"

Coloured()
