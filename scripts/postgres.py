#!/usr/bin/env python3
"""A PostgreSQL server to be thrown away: on a free port of the loopback, with a folder of its own.

    python scripts/postgres.py              start one, print its address, stop it when standard input ends
    python scripts/postgres.py --install    make sure that PostgreSQL is there, by Debian's package if need be

The server ends with whoever started this script, also when that one was killed. PostgreSQL refuses to run as
root; for root it runs as the user `postgres` or `nobody`.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

USER = "rampart"
DATABASE = "postgres"
_READY = "database system is ready to accept connections"
_PORT_TAKEN = "could not bind"
_SECONDS_TO_STOP = 30
# The data need not outlive the machine.
_SETTINGS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "lc_messages=C")


class PostgresError(Exception):
    """There is no PostgreSQL, or it does not start."""


def binaries() -> Path | None:
    """The folder with `initdb` and `postgres` of the newest PostgreSQL on this machine, or None."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    on_path = shutil.which("initdb")
    if on_path is not None:
        folders.insert(0, Path(on_path).resolve().parent)
    return next((one for one in folders if (one / "initdb").exists() and (one / "postgres").exists()), None)


def _version(folder: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", str(folder))]


def install() -> None:
    """Install Debian's package if there is no PostgreSQL.

    Raises:
        PostgresError: If it is missing and cannot be installed.
    """
    if binaries() is not None:
        return
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        raise PostgresError(
            "PostgreSQL is missing; install it (on Debian, as root: apt-get install postgresql)"
        )
    settings = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", "postgresql"]):
        done = subprocess.run([apt, "--quiet", *command], env=settings, stdout=sys.stderr, check=False)
        if done.returncode != 0:
            raise PostgresError(f"apt-get {command[0]} failed with exit status {done.returncode}")
    if binaries() is None:
        raise PostgresError("Debian's package postgresql brought no server along")


@contextlib.contextmanager
def running_server() -> Iterator[str]:
    """Start a server, give its address (with a password), and stop it at the end.

    Raises:
        PostgresError: If there is no PostgreSQL, or it does not start.
    """
    found = binaries()
    if found is None:
        raise PostgresError("no initdb and postgres on the path or in /usr/lib/postgresql")
    account = _account()
    with tempfile.TemporaryDirectory(prefix="rampart-postgres-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        password = secrets.token_hex(16)
        (folder / "password").write_text(password)
        for path in (folder, folder / "password"):
            if account is not None:
                os.chown(path, account.pw_uid, account.pw_gid)
        _initialise(found, folder, account)
        server, port = _started(found, folder, account)
        try:
            yield f"postgresql+psycopg://{USER}:{password}@127.0.0.1:{port}/{DATABASE}"
        finally:
            _stop(server)


def _account() -> pwd.struct_passwd | None:
    """Who runs the server; None for the user who runs this script."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise PostgresError("PostgreSQL does not run as root, and there is no user postgres or nobody")


def _as(account: pwd.struct_passwd | None) -> dict[str, object]:
    return {} if account is None else {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _initialise(found: Path, folder: Path, account: pwd.struct_passwd | None) -> None:
    command = [str(found / "initdb"), "--pgdata", str(folder / "data"), "--username", USER, "--no-sync"]
    command += ["--encoding", "UTF8", "--locale", "C", "--auth", "scram-sha-256"]
    command += ["--pwfile", str(folder / "password")]
    done = subprocess.run(  # type: ignore[call-overload]  # which options there are depends on the user
        command, cwd=folder, capture_output=True, text=True, check=False, **_as(account)
    )
    if done.returncode != 0:
        raise PostgresError(f"initdb failed: {done.stderr.strip()}")


def _started(
    found: Path, folder: Path, account: pwd.struct_passwd | None
) -> tuple[subprocess.Popen[str], int]:
    log = ""
    for _ in range(5):
        port = _free_port()
        command = [str(found / "postgres"), "-D", str(folder / "data"), "-p", str(port), "-k", str(folder)]
        for setting in (*_SETTINGS, "listen_addresses=127.0.0.1"):
            command += ["-c", setting]
        with (folder / "log").open("w") as output:
            server: subprocess.Popen[str] = subprocess.Popen(  # type: ignore[call-overload]  # as above
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **_as(account)
            )
        log = _log_of_start(server, folder / "log")
        if _READY in log:
            return server, port
        _stop(server)
        if _PORT_TAKEN not in log:
            break
    raise PostgresError(f"postgres did not start: {log.strip()}")


def _log_of_start(server: subprocess.Popen[str], path: Path) -> str:
    """Wait until the server is ready or has ended, at most 60 s, and give what it wrote."""
    for _ in range(600):
        ended = server.poll() is not None
        log = path.read_text(errors="replace")
        if ended or _READY in log:
            return log
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(0.1)
    return path.read_text(errors="replace")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _stop(server: subprocess.Popen[str]) -> None:
    """Close all connections and end; SIGINT is PostgreSQL's fast shutdown."""
    if server.poll() is not None:
        return
    server.send_signal(signal.SIGINT)
    try:
        server.wait(_SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        server.send_signal(signal.SIGQUIT)  # at once
        server.wait(_SECONDS_TO_STOP)


def main(arguments: list[str]) -> int:
    """Do what the command line asks for, and return the exit status."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the tests too, which then end the input
    try:
        if arguments == ["--install"]:
            install()
            return 0
        with running_server() as address:
            print(address, flush=True)
            sys.stdin.read()
    except PostgresError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
