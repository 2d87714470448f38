# Text of the whole world, and text that is none.
print("Grüße, 世界, 🎉, e\u0301, \u202eright to left\u202c")
# %%
print("family: 👨‍👩‍👧‍👦 flag: 🇨🇭")
"naïve café ☕"
# %%
{"schlüssel": "wert ä", "emoji 😀": [1, "日本"]}
# %%
print("zero\u200bwidth, non\u00a0breaking, line\u2028separator")
# %%
print("lone surrogate: \ud83d.")
