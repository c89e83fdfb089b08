"""Putting back files in which a run that was killed had left its payload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rampart.core.errors import InfrastructureError
from rampart.core.log import log
from rampart.surfaces.file_disk import look, permissions, remove_empty, restore
from rampart.surfaces.file_original import OriginalRecord
from rampart.surfaces.private_file import digest

if TYPE_CHECKING:
    from rampart.surfaces.file_original import Planting


class _ThisProcess:
    looked = False


def recover_once() -> None:
    """Put back what killed runs have left anywhere; only the first call of a process looks.

    What was changed since is left alone, with a warning: nobody knows whose content it is.
    """
    if _ThisProcess.looked:
        return
    _ThisProcess.looked = True
    for record in OriginalRecord.abandoned():
        try:
            settle(record)
        except (OSError, InfrastructureError) as error:
            log.warning("%s", error)
            record.let_go()
        else:
            record.release()


def settle(record: OriginalRecord) -> None:
    """Put back what a killed run has left in the file of a record, if it has.

    Raises:
        InfrastructureError: If the file was changed since.
        OSError: If it cannot be put back.
    """
    left = record.left_behind
    if left is None:
        return
    if is_as_found(left):
        remove_empty(left.folders)
        return
    if not holds_planted(left):
        before = f"stands below the first line of {record.path}" if left.found else "was no file"
        msg = (
            f"{left.path}: a run that was killed left payload {left.payload_id!r} in it, and it was changed "
            f"since; what it was before {before}: put it right, and then remove {record.path}"
        )
        raise InfrastructureError(msg)
    put_back(left, mode_then=permissions(left.path))
    remove_empty(left.folders)
    log.warning(
        "%s is as it was again: a run that was killed had left payload %r in it", left.path, left.payload_id
    )


def is_as_found(planting: Planting) -> bool:
    """Whether the file holds what it held before, or is gone again."""
    now, found = look(planting.path), planting.found
    return now is found is None or (now is not None and found is not None and now.content == found.content)


def holds_planted(planting: Planting) -> bool:
    """Whether the file still holds what was planted."""
    now = look(planting.path)
    return now is not None and digest(now.content) == planting.planted


def put_back(planting: Planting, *, mode_then: int | None) -> None:
    """Make the file what it was, whatever it holds.

    Args:
        planting: What was done to it.
        mode_then: Its permissions after planting; other ones now are somebody else's. None: it was
            never finished.
    """
    if planting.found is None:
        planting.path.unlink(missing_ok=True)
    else:
        restore(planting.path, planting.found, mode_then=mode_then)
