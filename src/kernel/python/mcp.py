"""`omp.mcp`: the tools of MCP servers by name, `omp.mcp.files.read_file(path="x")`; values come as values."""

import contextlib

from _omp.calls import ToolError


def _plain(name):
    """As Python can write it: servers call their tools `get-env` and `fs.read`, too."""
    return "".join(letter if letter.isalnum() else "_" for letter in name)


class McpTool:
    """Call it with its input as named arguments, or `await` its `aio`. Returns the value that the tool gives, or a result with `text`."""

    def __init__(self, found):
        self._found = found

    def __call__(self, *positional, **arguments):
        with self._found() as tool:
            return _value(tool(*positional, **arguments))

    async def aio(self, *positional, **arguments):
        with self._found() as tool:
            return _value(await tool.aio(*positional, **arguments))


def _value(result):
    return result.details.get("structured", result)


class McpServer:
    def __init__(self, mcp, name):
        self._mcp = mcp
        self._name = name

    def __getattr__(self, tool):
        if tool.startswith("_"):
            raise AttributeError(tool)
        return self[tool]

    def __getitem__(self, tool):
        return McpTool(lambda: self._mcp._tool(self._name, tool))

    def __repr__(self):
        return f"<omp.mcp.{self._name}: omp.mcp.search() lists its tools>"


class Mcp:
    """The MCP servers of the session by name; `search("words")` finds tools, with what they do and what they take."""

    def __init__(self, tools):
        self._tools = tools
        self._known = {}

    def search(self, words=""):
        return self._search(query=words)

    def _search(self, **request):
        try:
            found = self._tools["mcp_search"](**request).details["structured"]["tools"]
        except ToolError as error:
            # Without any server there is nothing to search in.
            if not _is_unknown(error):
                raise
            return []
        for each in found:
            self._known[_plain(each["server"]), _plain(each["tool"])] = each["name"]
        return found

    @contextlib.contextmanager
    def _tool(self, server, tool):
        key = _plain(server), _plain(tool)
        unknown = f"omp.mcp: there is no {server}.{tool}; omp.mcp.search() lists the tools (UNKNOWN_TOOL)"
        # Servers come and change while a session runs; one that has failed is tried again, and says why.
        if key not in self._known:
            self._search(server=server)
        if key not in self._known:
            raise ToolError(unknown)
        try:
            yield self._tools[self._known[key]]
        except ToolError as error:
            if not _is_unknown(error):
                raise
            # Its server has taken it back.
            del self._known[key]
            raise ToolError(unknown) from None

    def __getattr__(self, server):
        if server.startswith("_"):
            raise AttributeError(server)
        return McpServer(self, server)

    def __getitem__(self, server):
        return McpServer(self, server)

    def __repr__(self):
        return "<omp.mcp: omp.mcp.<server>.<tool>(…), omp.mcp.search(words)>"


def _is_unknown(error):
    return error.details.get("code") == "UNKNOWN_TOOL"
