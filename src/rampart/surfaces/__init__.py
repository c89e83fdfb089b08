"""Places from which agents read, and in which payloads are planted."""

from typing import TYPE_CHECKING

from rampart.core.lazy import lazy_exports

if TYPE_CHECKING:
    from rampart.surfaces.file_surface import FileSurface
    from rampart.surfaces.callback import CallbackSurface
    from rampart.surfaces.handle import PlantedHandle
    from rampart.surfaces.one_drive import OneDriveSurface
    from rampart.surfaces.sql import SqlSurface

_HOMES = {
    "CallbackSurface": "rampart.surfaces.callback",
    "FileSurface": "rampart.surfaces.file_surface",
    "OneDriveSurface": "rampart.surfaces.one_drive",
    "PlantedHandle": "rampart.surfaces.handle",
    "SqlSurface": "rampart.surfaces.sql",
}

__all__ = ["CallbackSurface", "FileSurface", "OneDriveSurface", "PlantedHandle", "SqlSurface"]

if not TYPE_CHECKING:  # type checkers know the names from above, and that there are no others
    __getattr__, __dir__ = lazy_exports(__name__, _HOMES)
