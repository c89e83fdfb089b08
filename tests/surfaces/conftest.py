"""Databases to plant in: an SQLite file, and a PostgreSQL server that lives as long as the run."""

import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.pool import NullPool

_SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "postgres.py"


@pytest.fixture(scope="session")
def originals_of_the_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where originals are kept that tests leave behind and do not look at."""
    return tmp_path_factory.mktemp("originals")


@pytest.fixture(autouse=True)
def originals(originals_of_the_run: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where originals are kept; tests that look at them have a folder of their own."""
    monkeypatch.setattr(tempfile, "tempdir", str(originals_of_the_run))
    return originals_of_the_run


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[sa.URL]:
    """A PostgreSQL server of this run; where none can be had the test skips, or fails if one is demanded."""
    server = subprocess.Popen(
        [sys.executable, str(_SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    assert server.stderr is not None
    with server:
        address = server.stdout.readline().strip()
        if not address:
            reason = f"no PostgreSQL, see `make test-postgres`: {server.stderr.read().strip()}"
            if os.environ.get("RAMPART_NEEDS_POSTGRES"):
                pytest.fail(reason, pytrace=False)
            pytest.skip(reason)
        yield sa.make_url(address)
        server.stdin.close()
        assert server.wait(60) == 0, server.stderr.read()


@pytest.fixture
def postgres_url(postgres_server: sa.URL) -> Iterator[sa.URL]:
    """A new database on the PostgreSQL server; nobody may be connected to it when the test is over."""
    name = f"test_{uuid.uuid4().hex}"
    engine = sa.create_engine(postgres_server, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    yield postgres_server.set(database=name)
    connected = sa.text("SELECT count(*) FROM pg_stat_activity WHERE datname = :name")
    with engine.connect() as connection:
        patience = time.monotonic() + 5  # the server takes a moment to see that a connection was closed
        while (left := connection.scalar(connected, {"name": name})) and time.monotonic() < patience:
            time.sleep(0.01)
        connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
    assert left == 0


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> sa.URL:
    """A new database with nothing in it, of each kind."""
    if request.param == "postgresql":
        url: sa.URL = request.getfixturevalue("postgres_url")
        return url
    path = tmp_path / "app.db"
    path.touch()
    return sa.URL.create("sqlite", database=str(path))
