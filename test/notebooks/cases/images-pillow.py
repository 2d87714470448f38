# Pictures of pixels.
import io
from PIL import Image as Picture
from IPython.display import Image
Picture.new("RGB", (64, 48), "red")
# %%
data = io.BytesIO()
Picture.new("RGB", (32, 32), "blue").save(data, "JPEG")
Image(data.getvalue())
# %%
print("before")
display(Picture.new("L", (8, 8)))
print("after")
# %%
display({"image/png": "bm90IGEgcGljdHVyZQ==", "text/plain": "broken"}, raw=True)
