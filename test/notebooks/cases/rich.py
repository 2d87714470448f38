# rich in a notebook.
from rich import print as rich_print
from rich.console import Console
from rich.table import Table
rich_print("[bold]bold[/bold] text")
# %%
table = Table("k", "v")
table.add_row("a", "1")
table
# %%
from rich.progress import Progress, TextColumn, MofNCompleteColumn
with Progress(TextColumn("{task.description}"), MofNCompleteColumn(), auto_refresh=False) as progress:
    job = progress.add_task("working", total=3)
    for i in range(3):
        progress.advance(job)
        progress.refresh()
