"""The calls of the Microsoft Graph client that a drive needs, and how their answers are read.

The client is the user's own object. Nothing of its library is imported before a call needs it.
"""

from __future__ import annotations

from typing import Any

from rampart.core.errors import ConfigurationError

NOT_FOUND = 404
CHANGED_MEANWHILE = 412
_NO_ROOM = 507

# Said in the address, since the body is the file itself; without it Graph replaces what is there.
_REFUSE_TO_REPLACE = "?@microsoft.graph.conflictBehavior=fail"


def at_path(path: str) -> str:
    """The id under which Graph finds the item with this path below the drive's root."""
    return f"root:/{path}:"


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an error of the client carries; None for one that never got an answer."""
    status = getattr(error, "response_status_code", None)
    return status if isinstance(status, int) else None


def was_refused(error: BaseException) -> bool:
    """Whether Graph answered that it did nothing, so that there is nothing to take back."""
    status = status_of(error)
    return status is not None and (400 <= status < 500 or status == _NO_ROOM)


def name_is_taken(error: BaseException) -> bool:
    """Whether Graph refused to create an item because there is one of that name."""
    return getattr(getattr(error, "error", None), "code", None) == "nameAlreadyExists"


def tag_of(item: Any) -> str | None:
    """What changes with each change of the item; None if the client reports no such thing."""
    tag = getattr(item, "e_tag", None)
    return tag if isinstance(tag, str) and tag else None


class GraphDrive:
    """One drive, as the client reaches it.

    All methods raise the client's own errors.

    Args:
        graph_client: A `msgraph.GraphServiceClient`, or what has its request builders.
        drive_id: The id of the drive.
    """

    def __init__(self, *, graph_client: Any, drive_id: str) -> None:
        self._client = graph_client
        self.drive_id = drive_id

    async def create_async(self, *, path: str, content: bytes) -> Any:
        """Create a file, and the folders above it that are missing; the answer is the new item.

        Nothing is replaced: if there is an item at `path`, the error is one for which `name_is_taken`.
        """
        builder = self._at(at_path(path)).content
        builder.url_template = f"{builder.url_template}{_REFUSE_TO_REPLACE}"
        return await builder.put(content)

    async def item_async(self, item_id: str) -> Any:
        """What Graph knows of an item."""
        return await self._at(item_id).get()

    async def content_async(self, item_id: str) -> bytes:
        """The bytes of a file."""
        return bytes(await self._at(item_id).content.get() or b"")

    async def delete_async(self, item_id: str, *, tag: str | None = None) -> None:
        """Move an item to the recycle bin, as Graph's delete does.

        Args:
            item_id: Which item.
            tag: With it, an item that has another one by now is kept, and the status of the error is 412.
        """
        builder = self._at(item_id)
        await (builder.delete() if tag is None else builder.delete(_if_match(tag)))

    def _at(self, item_id: str) -> Any:
        return self._client.drives.by_drive_id(self.drive_id).items.by_drive_item_id(item_id)


def _if_match(tag: str) -> Any:
    try:
        from kiota_abstractions.base_request_configuration import (  # noqa: PLC0415  # optional library
            RequestConfiguration,
        )
    except ImportError as error:  # a client without its library is one of the user's making
        msg = 'OneDriveSurface needs the Microsoft Graph SDK: pip install "rampart[onedrive]"'
        raise ConfigurationError(msg) from error
    configuration: Any = RequestConfiguration()
    configuration.headers.add("If-Match", tag)
    return configuration
