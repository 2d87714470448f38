"""`omp.mcp`: the tools of MCP servers by name, `omp.mcp.files.read_file(path="x")`; values come as values."""

from _omp.calls import ToolError


def _plain(name):
    """As Python can write it: servers call their tools `get-env` and `fs.read`, too."""
    return "".join(letter if letter.isalnum() else "_" for letter in name)


class McpTool:
    """Call it with its input as named arguments, or `await` its `aio`. Returns the value that the tool gives, or a result with `text`."""

    def __init__(self, find):
        self._find = find

    def __call__(self, *positional, **arguments):
        return _value(self._find()(*positional, **arguments))

    async def aio(self, *positional, **arguments):
        return _value(await self._find().aio(*positional, **arguments))


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
        try:
            found = self._tools["mcp_search"](query=words).details["structured"]["tools"]
        except ToolError as error:
            # Without any server there is nothing to search in.
            if error.details.get("code") != "UNKNOWN_TOOL":
                raise
            return []
        for each in found:
            self._known[_plain(each["server"]), _plain(each["tool"])] = each["name"]
        return found

    def _tool(self, server, tool):
        key = _plain(server), _plain(tool)
        # Servers come and change while a session runs.
        if key not in self._known:
            self.search()
        if key not in self._known:
            raise ToolError(f"omp.mcp: there is no {server}.{tool}; omp.mcp.search() lists the tools (UNKNOWN_TOOL)")
        return self._tools[self._known[key]]

    def __getattr__(self, server):
        if server.startswith("_"):
            raise AttributeError(server)
        return McpServer(self, server)

    def __getitem__(self, server):
        return McpServer(self, server)

    def __repr__(self):
        return "<omp.mcp: omp.mcp.<server>.<tool>(…), omp.mcp.search(words)>"
