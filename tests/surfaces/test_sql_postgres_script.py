"""The PostgreSQL server of the tests starts, and ends with whoever started it."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import sqlalchemy as sa
from scripts import postgres
from sqlalchemy.pool import NullPool

_SCRIPT = Path(postgres.__file__)


def _answers(url: sa.URL) -> bool:
    try:
        with sa.create_engine(url, poolclass=NullPool).connect() as connection:
            return connection.scalar(sa.text("SELECT 1")) == 1
    except sa.exc.OperationalError:
        return False


@pytest.mark.postgres
@pytest.mark.usefixtures("postgres_server")  # which skips where there is no PostgreSQL
def test_the_server_ends_with_a_parent_that_is_killed() -> None:
    folders = set(Path(tempfile.gettempdir()).glob("rampart-postgres-*"))
    code = (
        "import subprocess, sys; "
        f"child = subprocess.Popen([sys.executable, {str(_SCRIPT)!r}], stdin=subprocess.PIPE); child.wait()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        url = sa.make_url(parent.stdout.readline().strip())
        assert _answers(url)
        assert not _answers(url.set(password="another"))
        parent.kill()
        parent.stdout.read()  # ends when the script, which holds the other end, has ended
    for _ in range(100):
        if set(Path(tempfile.gettempdir()).glob("rampart-postgres-*")) <= folders:
            break
        time.sleep(0.1)
    assert not _answers(url)
    assert set(Path(tempfile.gettempdir()).glob("rampart-postgres-*")) <= folders


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(postgres, "binaries", lambda: None)
    monkeypatch.setattr(postgres.shutil, "which", lambda _name: None)
    with pytest.raises(postgres.PostgresError, match="PostgreSQL is missing; install it"):
        postgres.install()
    with (
        pytest.raises(postgres.PostgresError, match="no initdb and postgres on the path"),
        postgres.running_server(),
    ):
        pass
    assert capsys.readouterr().out == ""
