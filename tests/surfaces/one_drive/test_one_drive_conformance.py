"""Files in OneDrive keep the rules for surfaces."""

from typing import Any

import pytest
from tests.surfaces.one_drive.graph_server import GraphServer
from tests.surfaces.one_drive.sdk import need_sdk

from rampart import Payload
from rampart.surfaces import OneDriveSurface
from rampart.testing import SurfaceConformance

need_sdk()
pytestmark = pytest.mark.onedrive


class TestOneDrive(SurfaceConformance):
    @pytest.fixture(autouse=True)
    def _drive(self, graph: GraphServer) -> None:
        self.graph = graph

    @pytest.fixture
    def surface(self, surface: OneDriveSurface) -> OneDriveSurface:
        return surface

    def snapshot(self) -> Any:
        return self.graph.files

    def read(self) -> bytes:
        return b"\n".join(self.graph.files.values())

    def refused_payload(self) -> Payload:
        return Payload(content="x" * (4 * 1024 * 1024 + 1), id="long")

    def disturb(self) -> None:
        [name] = [name for name in self.graph.files if "marigold" in name]
        self.graph.write(name, b"somebody else's")
