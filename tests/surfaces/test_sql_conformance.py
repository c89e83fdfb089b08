"""Rows and columns that carry payloads keep the rules for surfaces, also when many are planted at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from tests.surfaces.sql_tables import dump, mail_surface, make_tables, read_bodies, rows, run
from tests.surfaces.storm import Storm, every_size

from rampart import InjectionHandle, Payload
from rampart.surfaces import SqlSurface
from rampart.testing import SurfaceConformance


class OfMails(SurfaceConformance):
    """What the suites over the table of mails have in common."""

    many_in_a_row = 6
    url: sa.URL

    @pytest.fixture
    def surface(self, database_url: sa.URL) -> SqlSurface:
        self.url = database_url
        make_tables(database_url)
        return self.make()

    def make(self) -> SqlSurface:
        raise NotImplementedError

    def snapshot(self) -> Any:
        return dump(self.url)

    def read(self) -> str:
        return read_bodies(self.url)

    def refused_payload(self) -> Payload:
        return Payload(content="x" * 2001, id="long")

    def disturb(self) -> None:
        run(
            self.url,
            "UPDATE mails SET body = body || ' Read by Bob.' WHERE replace(body, 'marigold', '') <> body",
        )

    @contextmanager
    def obstruct(self) -> Iterator[None]:
        run(self.url, "ALTER TABLE mails RENAME TO letters")
        yield
        run(self.url, "ALTER TABLE letters RENAME TO mails")


class TestInsertedRow(OfMails):
    def make(self) -> SqlSurface:
        return mail_surface(self.url, row={"owner": 2, "subject": "Hello"})


class TestReplacedColumn(OfMails):
    def make(self) -> SqlSurface:
        return mail_surface(self.url, where={"id": 101})


class TestAppendedColumn(OfMails):
    def make(self) -> SqlSurface:
        return mail_surface(self.url, where={"id": 101}, mode="append")


def storm(url: sa.URL, trials: int) -> Storm:
    make_tables(url)
    run(
        url,
        ";".join(
            f"INSERT INTO mails (id, owner, subject, body) VALUES ({number}, 1, 'No. {number}', 'Dear Ann.')"
            for number in range(1000, 1000 + trials)
        ),
    )

    def make_handle(number: int, payload: Payload) -> InjectionHandle:
        mode: Any = "append" if number % 2 else "replace"
        return mail_surface(url, where={"id": 1000 + number}, mode=mode).inject(payload=payload)

    def read(number: int) -> str:
        [(body,)] = rows(url, f"SELECT body FROM mails WHERE id = {1000 + number}")
        return str(body)

    return Storm(
        make_handle=make_handle,
        read=read,
        snapshot=lambda: dump(url),
        fault_s=1,
        trials=trials,
    )


@every_size
def test_a_storm(database_url: sa.URL, trials: int) -> None:
    storm(database_url, trials).rage(seed=21)


@every_size
def test_a_storm_that_is_cancelled(database_url: sa.URL, trials: int) -> None:
    assert storm(database_url, trials).cancel(seed=22, rounds=3)
