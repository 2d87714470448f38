# Pictures, sounds and pages that are elsewhere.
from IPython.display import IFrame, Image, Video, YouTubeVideo, Audio
Image(url="https://example.org/cat.png")
# %%
Audio([0.0, 0.5, -0.5, 0.0] * 100, rate=8000)
# %%
Video("https://example.org/clip.mp4")
# %%
IFrame("https://example.org/page", 300, 200)
# %%
YouTubeVideo("abc123")
