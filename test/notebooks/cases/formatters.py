# Formatters that the user registers.
class Money:
    def __init__(self, amount):
        self.amount = amount

html = get_ipython().display_formatter.formatters["text/html"]
plain = get_ipython().display_formatter.formatters["text/plain"]
plain.for_type(Money, lambda money, printer, cycle: printer.text(f"{money.amount} €"))
Money(3)
# %%
html.for_type(Money, lambda money: f"<b>{money.amount}</b>")
Money(4)
# %%
[Money(5), {"m": Money(6)}]
# %%
import sys
sys.displayhook
get_ipython().displayhook.__class__.__name__
# %%
from IPython.display import display_html, display_markdown
display_html("<i>raw</i>", raw=True)
display_markdown("**raw**", raw=True)
