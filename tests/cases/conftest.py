"""What the cases share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cases.child import Child
from tests.cases.words import FULL, AgentOf

from rampart import AgentAdapter, Response
from rampart.adapters import CallableAdapter
from rampart.testing import ScriptedAgent


@pytest.fixture
def child(tmp_path: Path) -> Child:
    """A project of a user, for one test."""
    return Child(tmp_path / "project")


@pytest.fixture(scope="module")
def make_child(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Child]:
    """Make projects whose runs several tests look at."""

    def make(**options: Any) -> Child:
        return Child(tmp_path_factory.mktemp("project"), **options)

    return make


def _function_of(response: Response) -> AgentAdapter:
    return CallableAdapter(lambda prompt, history: response, observability=FULL)


@pytest.fixture(
    params=[lambda response: ScriptedAgent([response]), _function_of], ids=["scripted", "function"]
)
def agent_of(request: pytest.FixtureRequest) -> AgentOf:
    """Ways to make an agent that answers like this."""
    make: AgentOf = request.param
    return make
