"""Places from which agents read, and in which payloads are planted."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.surfaces.callback import CallbackSurface
    from rampart.surfaces.file_surface import FileSurface
    from rampart.surfaces.handle import PlantedHandle
    from rampart.surfaces.mailbox_surface import MailboxSurface
    from rampart.surfaces.mcp_place import McpPlace
    from rampart.surfaces.mcp_surface import McpSurface
    from rampart.surfaces.one_drive import OneDriveSurface
    from rampart.surfaces.sql import SqlSurface
    from rampart.surfaces.tool_result_surface import ToolResultSurface
    from rampart.surfaces.web_page import WebPageSurface
    from rampart.surfaces.web_page_placement import PagePlacement

_HOMES = {
    "CallbackSurface": "rampart.surfaces.callback",
    "FileSurface": "rampart.surfaces.file_surface",
    "MailboxSurface": "rampart.surfaces.mailbox_surface",
    "McpPlace": "rampart.surfaces.mcp_place",
    "McpSurface": "rampart.surfaces.mcp_surface",
    "OneDriveSurface": "rampart.surfaces.one_drive",
    "PagePlacement": "rampart.surfaces.web_page_placement",
    "PlantedHandle": "rampart.surfaces.handle",
    "SqlSurface": "rampart.surfaces.sql",
    "ToolResultSurface": "rampart.surfaces.tool_result_surface",
    "WebPageSurface": "rampart.surfaces.web_page",
}

__all__ = [
    "CallbackSurface",
    "FileSurface",
    "MailboxSurface",
    "McpPlace",
    "McpSurface",
    "OneDriveSurface",
    "PagePlacement",
    "PlantedHandle",
    "SqlSurface",
    "ToolResultSurface",
    "WebPageSurface",
]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
