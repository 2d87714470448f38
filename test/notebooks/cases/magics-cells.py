%%capture caught
print("captured")
"not shown"
# %%
print(caught.stdout, end="")
# %%
%%bash
echo from bash
echo error >&2
# %%
%%sh
exit 4
# %%
%%html
<b>bold</b>
# %%
%%markdown
# Head
# %%
%%latex
$x$
# %%
%%javascript
console.log(1)
# %%
%%python3
print("another interpreter")
# %%
%%unknown
x
