"""A small real MCP server of the tests; `python notes_server.py [stdio|http <port>]`."""

import os
import sys

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

server = MCPServer("notes", version="1.4", instructions="Ask for notes.")


class Note(BaseModel):
    title: str
    body: str
    length: int


@server.tool()
def lookup(topic: str) -> str:
    """Look a topic up."""
    return f"All about {topic}."


@server.tool()
def read_note(title: str) -> Note:
    """Read a note."""
    return Note(title=title, body=f"This is the note called {title}.", length=7)


@server.tool()
def count(upto: int) -> int:
    """Count."""
    return upto


@server.tool()
def fail(why: str) -> str:
    """Fail."""
    raise ValueError(why)


@server.tool()
def die() -> str:
    """End the server at once."""
    sys.stderr.write("I was told to die\n")
    sys.stderr.flush()
    os._exit(3)


@server.tool()
def pid() -> int:
    """The server's process."""
    return os.getpid()


@server.tool()
async def work(steps: int, ctx: Context) -> str:
    """Work with progress."""
    for step in range(steps):
        await ctx.report_progress(step + 1, steps, f"step {step + 1}")
    return "done"


@server.resource("notes://all")
def all_notes() -> str:
    """All notes."""
    return "one, two, three"


@server.resource("notes://{title}")
def one_note(title: str) -> str:
    """One note."""
    return f"note {title}"


@server.prompt()
def greet(name: str) -> str:
    """Greet somebody."""
    return f"Say hello to {name}."


if __name__ == "__main__":
    if sys.argv[1:2] == ["http"]:
        server.run(transport="streamable-http", port=int(sys.argv[2]))
    else:
        server.run(transport="stdio")
