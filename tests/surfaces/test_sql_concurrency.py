"""Many at once, some failing, some cancelled: the database is as before, and nobody is connected."""

import asyncio
import gc
import random
import threading
from collections import Counter

import pytest
import sqlalchemy as sa
from sqlalchemy.pool import NullPool
from tests.surfaces.agents import ORDER, agent_reading, objective, order_payload
from tests.surfaces.sql_tables import connected, dump, mail_surface, run

from rampart import Attacks, InfrastructureError, SafetyStatus
from rampart.surfaces import SqlSurface

_TRIALS = 200


@pytest.fixture(autouse=True)
def _rows(database_url: sa.URL) -> None:
    run(database_url, "CREATE TABLE mails (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")
    with connected(database_url) as connection:
        connection.execute(
            sa.text("INSERT INTO mails VALUES (:id, :body)"),
            [{"id": number, "body": f"found {number}"} for number in range(_TRIALS)],
        )


def _surface(database: object, number: int) -> SqlSurface:
    """Every second row is new; each trial has one of its own, and only reads that."""
    if number % 2:
        return mail_surface(database, row={"id": 1000 + number}, isolation_key=str(number))
    return mail_surface(database, where={"id": number}, mode="append")


async def _trial(engine: sa.Engine, url: sa.URL, number: int, *, fails: bool) -> str:
    key = 1000 + number if number % 2 else number

    def read() -> str:
        if fails:
            raise ConnectionError("the agent's own connection is gone")
        with engine.connect() as connection:
            text = connection.scalar(sa.text("SELECT body FROM mails WHERE id = :id"), {"id": key})
        return str(text)

    result = await Attacks.xpia(
        inject=_surface(url, number).inject(payload=order_payload(id=f"p{number}")),
        trigger="Please summarise what came in.",
        evaluator=objective(),
    ).execute_async(adapter=agent_reading(read, "obedient"))
    assert not any("cleanup" in key for key in result.metadata), result.summary
    return result.status.value


@pytest.mark.slow
async def test_two_hundred_trials(database_url: sa.URL) -> None:
    chance = random.Random(7)
    before = dump(database_url)
    engine = sa.create_engine(database_url, poolclass=NullPool)
    fails = set(chance.sample(range(_TRIALS), 10))
    tasks = {
        number: asyncio.create_task(_trial(engine, database_url, number, fails=number in fails))
        for number in range(_TRIALS)
    }
    cancelled = chance.sample(sorted(set(tasks) - fails), 10)

    async def cancel(number: int) -> None:
        await asyncio.sleep(chance.uniform(0, 6))
        tasks[number].cancel()

    await asyncio.gather(*(cancel(number) for number in cancelled))
    ends = await asyncio.gather(*tasks.values(), return_exceptions=True)
    seen = Counter(end if isinstance(end, str) else type(end).__name__ for end in ends)
    assert seen[SafetyStatus.ERROR.value] == 10, seen
    assert seen[SafetyStatus.UNSAFE.value] >= _TRIALS - 20, seen
    assert sum(seen.values()) == sum(seen[key] for key in ("error", "unsafe", "CancelledError")), seen
    assert dump(database_url) == before
    # The fixture looks for connections that are left.


async def test_handles_cancelled_at_any_point(database_url: sa.URL) -> None:
    """Cancelled before, while and after something is planted, and while it is taken out."""
    before = dump(database_url)
    inside = 0

    async def one(number: int) -> None:
        nonlocal inside
        async with _surface(database_url, number).inject(payload=order_payload()):
            inside += 1
            await asyncio.sleep(0.02)

    chance = random.Random(11)
    tasks = [asyncio.create_task(one(number)) for number in range(30)]
    for task in tasks:
        await asyncio.sleep(chance.uniform(0, 0.02))
        task.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(end) for end in ends} <= {type(None), asyncio.CancelledError}
    assert asyncio.CancelledError in {type(end) for end in ends}
    assert inside > 0
    assert dump(database_url) == before


async def test_two_on_one_row_do_not_lose_what_was_there(database_url: sa.URL) -> None:
    """Handles entered by hand, against their isolation key, and left in the wrong order."""
    first, second = (
        mail_surface(database_url, where={"id": 1}, mode="append").inject(payload=order_payload(content=word))
        for word in ("one", "two")
    )
    before = dump(database_url)
    await first.__aenter__()
    await second.__aenter__()
    with pytest.raises(InfrastructureError, match="somebody changed column 'body' of the row id=1 meanwhile"):
        await first.__aexit__(None, None, None)
    await second.__aexit__(None, None, None)
    await first.__aexit__(None, None, None)
    assert dump(database_url) == before
    assert ORDER not in str(before)


async def test_no_thread_and_no_connection_is_kept(database_url: sa.URL) -> None:
    def others() -> list[threading.Thread]:
        # Those of the event loop's pool are called "asyncio_0" and so on, and serve everybody.
        return [thread for thread in threading.enumerate() if not thread.name.startswith("asyncio_")]

    before = others()
    async with _surface(database_url, 1).inject(payload=order_payload()):
        pass
    gc.collect()  # a connection that is forgotten open warns, and warnings are errors here
    assert others() == before
