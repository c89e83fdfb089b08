"""Tool results that carry payloads keep the rules for surfaces, also when hundreds are planted at once."""

from typing import Any

import pytest
from tests.surfaces.storm import Storm, every_size

from rampart import Payload, PayloadFormat
from rampart.surfaces import ToolResultSurface
from rampart.testing import SurfaceConformance


def search_web(query: str) -> str:
    """Search the web."""
    return f"Results for {query}."


class TestToolResult(SurfaceConformance):
    @pytest.fixture
    def surface(self, tmp_path: Any) -> ToolResultSurface[Any]:
        self.artifact = tmp_path / "a.png"
        self.artifact.touch()
        self.place = ToolResultSurface(tool=search_web)
        return self.place

    def snapshot(self) -> Any:
        return self.read()

    def read(self) -> str:
        result: str = self.place.tool("marbles")
        return result

    def refused_payload(self) -> Payload:
        return Payload(content="a picture", id="picture", format=PayloadFormat.IMAGE, artifact=self.artifact)


@every_size
@pytest.mark.parametrize("way", ["rage", "cancel"])
def test_a_storm(way: str, trials: int) -> None:
    surface = ToolResultSurface(tool=search_web)
    storm = Storm(
        make_handle=lambda _number, payload: surface.inject(payload=payload),
        read=lambda number: str(surface.tool(f"marbles {number}")),
        snapshot=lambda: surface.tool("marbles"),
        fault_s=1,
        trials=trials,
    )
    getattr(storm, way)(seed=51)
