"""What the cases share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cases.child import Child


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
