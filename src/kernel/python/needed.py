"""Which names of a namespace a cell may use, by its syntax tree: rather too many than too few."""

import ast
import re

WORD = re.compile(r"[^\W\d]\w*")
WHOLE_NAMES = {"globals", "locals", "vars", "exec", "eval", "__main__"}
WHOLE_ATTRIBUTES = {"user_ns", "__globals__", "f_globals", "f_locals"}
WHOLE_MAGICS = {"run", "whos", "who_ls", "store", "pastebin", "save"}


def needed(tree, names):
    """Those of the names that the code may use."""
    used = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if node.id in WHOLE_NAMES:
                return names
            if isinstance(node.ctx, ast.Load):
                used.add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            used.add(node.target.id)
        elif isinstance(node, ast.Attribute) and node.attr in WHOLE_ATTRIBUTES:
            return names
        elif isinstance(node, (ast.Import, ast.ImportFrom)) and _imports_main(node):
            return names
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            used.update(WORD.findall(node.value))
        elif isinstance(node, ast.Call) and _is_whole_magic(node):
            return names
    return names & used


def _imports_main(node):
    imported = [alias.name for alias in node.names]
    return "__main__" in imported or getattr(node, "module", None) == "__main__"


def _is_whole_magic(call):
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("run_line_magic", "run_cell_magic"):
        return False
    first = call.args[0] if call.args else None
    return isinstance(first, ast.Constant) and first.value in WHOLE_MAGICS
