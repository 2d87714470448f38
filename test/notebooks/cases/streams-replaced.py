# Streams that were replaced and put back.
import io, sys
old, sys.stdout = sys.stdout, io.StringIO()
print("hidden")
text = sys.stdout.getvalue()
sys.stdout = old
print("shown:", text.strip())
# %%
import contextlib
with contextlib.redirect_stdout(io.StringIO()) as caught:
    print("caught")
    help(abs)
print(len(caught.getvalue()) > 20)
# %%
class Tee:
    def __init__(self, stream):
        self.stream = stream

    def write(self, text):
        return self.stream.write(text.upper())

    def flush(self):
        self.stream.flush()

sys.stdout = Tee(sys.stdout)
print("through the tee")
# %%
sys.stdout = sys.stdout.stream
print("and back")
