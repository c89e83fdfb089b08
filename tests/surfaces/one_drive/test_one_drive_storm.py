"""Attacks by OneDrive, hundreds at once, a tenth of which fail, leave the drive as it was."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.surfaces.one_drive.client import open_client
from tests.surfaces.one_drive.conftest import FOLDER
from tests.surfaces.one_drive.graph_server import DRIVE, GraphServer
from tests.surfaces.one_drive.sdk import need_sdk
from tests.surfaces.storm import Storm, every_size

from rampart import InjectionHandle, Payload
from rampart.surfaces import OneDriveSurface

need_sdk()
pytestmark = pytest.mark.onedrive


def storm(graph: GraphServer, trials: int) -> Storm:
    clients: list[Any] = []

    @asynccontextmanager
    async def around() -> AsyncIterator[None]:
        async with open_client(graph.url) as client:
            clients.append(client)
            yield

    def make_handle(_number: int, payload: Payload) -> InjectionHandle:
        return OneDriveSurface(
            graph_client=clients[-1], drive_id=DRIVE, folder_path=FOLDER, indexing_delay=0
        ).inject(payload=payload)

    def read(number: int) -> str:
        return graph.files[f"{FOLDER}/order-{number}.txt"].decode()

    return Storm(
        make_handle=make_handle,
        read=read,
        snapshot=lambda: dict(graph.files),
        around=around,
        trials=trials,
        fault_s=2,
    )


@every_size
def test_a_storm(graph: GraphServer, trials: int) -> None:
    storm(graph, trials).rage(seed=81)


def test_a_storm_that_is_cancelled(graph: GraphServer) -> None:
    assert storm(graph, 60).cancel(seed=82, rounds=2)
