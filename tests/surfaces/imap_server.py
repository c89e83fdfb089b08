"""A real IMAP server over one maildir, with Dovecot where it is installed."""

from __future__ import annotations

import imaplib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

DOVECOT = shutil.which("dovecot", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")

_SETTINGS = """
protocols = imap
listen = 127.0.0.1
base_dir = {folder}/run
log_path = {folder}/log
ssl = no
disable_plaintext_auth = no
first_valid_uid = 1
mail_location = maildir:{folder}/mail/Maildir
passdb {{
  driver = static
  args = nopassword=y
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
}}
service anvil {{
  chroot =
}}
"""
_AS_ONESELF = """
default_login_user = {name}
default_internal_user = {name}
default_internal_group = {group}
"""


@dataclass(frozen=True, kw_only=True)
class ImapServer:
    """A running server.

    Attributes:
        port: Where it listens, on 127.0.0.1.
        maildir: The mail of its only user.
    """

    port: int
    maildir: Path

    @contextmanager
    def client(self) -> Iterator[imaplib.IMAP4]:
        with imaplib.IMAP4("127.0.0.1", self.port, timeout=20) as client:
            client.login("ada", "any")
            yield client

    def give_to_user(self) -> None:
        """The maildir belongs to the user under whom the server reads it."""
        owner = self.maildir.parent.stat()
        for path in (self.maildir, *self.maildir.rglob("*")):
            os.chown(path, owner.st_uid, owner.st_gid)


@contextmanager
def imap_server() -> Iterator[ImapServer]:
    """Run Dovecot in the foreground; as root it reads the mail as the user `nobody`."""
    assert DOVECOT is not None
    me = pwd.getpwuid(os.geteuid())
    reader = pwd.getpwnam("nobody") if me.pw_uid == 0 else me
    with tempfile.TemporaryDirectory(dir="/tmp") as name:  # pytest's own folders are closed to other users
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "mail").mkdir()
        os.chown(folder / "mail", reader.pw_uid, reader.pw_gid)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
        settings = _SETTINGS.format(folder=folder, uid=reader.pw_uid, gid=reader.pw_gid, port=port)
        if me.pw_uid != 0:
            group = subprocess.run(["id", "-gn"], capture_output=True, text=True, check=True).stdout.strip()
            settings += _AS_ONESELF.format(name=me.pw_name, group=group)
        (folder / "settings").write_text(settings)
        with subprocess.Popen([DOVECOT, "-F", "-c", str(folder / "settings")]) as server:
            try:
                _wait_for(port, server, folder / "log")
                yield ImapServer(port=port, maildir=folder / "mail" / "Maildir")
            finally:
                server.terminate()


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except ConnectionRefusedError:
            time.sleep(0.02)
        else:
            return
    msg = f"dovecot does not listen: {log.read_text() if log.exists() else 'it wrote no log'}"
    raise AssertionError(msg)
