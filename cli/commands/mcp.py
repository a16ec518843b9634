"""`aurora mcp`: the notes as tools and resources for a language model's host, over standard input and output."""

from __future__ import annotations

import importlib.util

import click

from cli.options import CommandContext, anywhere, fail
from shared.adapters.extras import install_command


@click.command()
@anywhere
def mcp(context: CommandContext) -> None:
    """Serve your notes to an MCP host (a desktop assistant, an editor) that starts this command. It ends with its host.

    With --server, the host talks to a deployed product; the same tools are at its /mcp.
    """
    if importlib.util.find_spec("mcp") is None:
        fail(f"the MCP SDK is not installed: {install_command('mcp')}")
    import anyio  # noqa: PLC0415 - the SDK is an extra, and help is read without it
    from mcp.server.stdio import stdio_server  # noqa: PLC0415

    from functions.mcp_server import server_for  # noqa: PLC0415

    async def serve() -> None:
        server = server_for(client)
        async with stdio_server() as (read, write):
            await server.run(
                read,
                write,
                server.create_initialization_options(),
            )

    with context.lasting_client() as client:
        anyio.run(serve)
