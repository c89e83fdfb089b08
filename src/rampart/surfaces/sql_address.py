"""How databases are named: for people, for isolation keys, and without their passwords."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote_plus, unquote, urlsplit

from rampart.text.secrets import MASK, MIN_SECRET_LENGTH, register_secret

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

_DEFAULT_PORTS = {"postgresql": 5432, "mysql": 3306, "mariadb": 3306, "mssql": 1433, "oracle": 1521}
_DEFAULT_SCHEMAS = {"postgresql": "public", "sqlite": "main", "mssql": "dbo"}
_SECRET_OPTIONS = ("password", "passwd", "sslpassword")


def shown_address(url: URL) -> str:
    """The address for messages: without password and options."""
    return url.difference_update_query(url.query)._replace(password=None).render_as_string()


def table_key(url: URL, *, schema: str | None, table: str) -> str:
    """The same text for every way to write the address of one table.

    Drivers, users and options are left out. Host names are not looked up, and a table without a schema is
    taken to be in the one that databases use by default.
    """
    backend = url.get_backend_name()
    schema = schema or _DEFAULT_SCHEMAS.get(backend, "")
    path = sqlite_path(url)
    if path is not None:
        return f"sql:{backend}:{path.resolve()}:{schema.lower()}.{table.lower()}"
    host = url.host or url.query.get("host") or "localhost"
    host = ",".join([host] if isinstance(host, str) else host).lower()
    host = "127.0.0.1" if host == "localhost" else host
    port = url.port or url.query.get("port") or _DEFAULT_PORTS.get(backend, "")
    return f"sql:{backend}:{host}:{port}/{url.database or ''}:{schema}.{table}"


def sqlite_path(url: URL) -> Path | None:
    """The file of an SQLite database; None for one in memory and for every other database."""
    name = url.database
    if url.get_backend_name() != "sqlite" or not name or ":memory:" in name:
        return None
    if not name.startswith("file:"):
        return Path(name)
    path = unquote(urlsplit(name).path)
    return None if not path or url.query.get("mode") == "memory" else Path(path)


def is_in_memory(url: URL) -> bool:
    """Whether the address is of an SQLite database that each connection would have for itself."""
    return url.get_backend_name() == "sqlite" and sqlite_path(url) is None


class Passwords:
    """The passwords inside of an address, which must not show up in any message.

    Those that are long enough are registered as secrets, so that reports and logs do not show them either.
    """

    def __init__(self, url: URL) -> None:
        given = [url.password, *(url.query.get(option) for option in _SECRET_OPTIONS)]
        plain = {str(value) for value in given if value}
        self._forms = sorted(plain | {quote_plus(value) for value in plain}, key=len, reverse=True)
        for form in self._forms:
            if len(form.strip()) >= MIN_SECRET_LENGTH:
                register_secret(form)

    def mask(self, text: str) -> str:
        """Replace every password in `text`, however short it is."""
        for form in self._forms:
            text = text.replace(form, MASK)
        return text
