"""The PostgreSQL server of the tests starts, and ends with whoever started it."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.pool import NullPool

from scripts import postgres

_SCRIPT = Path(postgres.__file__)


def _answers(url: sa.URL) -> bool:
    try:
        with sa.create_engine(url, poolclass=NullPool).connect() as connection:
            return bool(connection.scalar(sa.text("SELECT true")))
    except sa.exc.OperationalError:
        return False


@pytest.fixture(autouse=True)
def originals() -> None:
    """Nothing is kept, and temporary folders lie where that user may enter them."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the user who runs the server may enter, too."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.postgres
@pytest.mark.usefixtures("postgres_server")  # which skips where there is no PostgreSQL
def test_the_server_ends_with_a_parent_that_is_killed(folder: Path) -> None:
    code = (
        "import subprocess, sys; "
        f"child = subprocess.Popen([sys.executable, {str(_SCRIPT)!r}], stdin=subprocess.PIPE); child.wait()"
    )
    environment = {**os.environ, "TMPDIR": str(folder)}
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        assert parent.stdout is not None
        url = sa.make_url(parent.stdout.readline().strip())
        assert _answers(url)
        assert not _answers(url.set(password="another"))
        assert len(list(folder.iterdir())) == 1
        parent.kill()
        parent.stdout.read()  # ends when the script, which holds the other end, has ended
    assert not _answers(url)
    assert list(folder.iterdir()) == []


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(postgres, "binaries", lambda: None)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(postgres.PostgresError, match="PostgreSQL is missing; install it"):
        postgres.install()
    with (
        pytest.raises(postgres.PostgresError, match="no initdb and postgres on the path"),
        postgres.running_server(),
    ):
        pass
    assert capsys.readouterr().out == ""
