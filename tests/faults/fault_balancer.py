"""Three workers of two servers behind nginx: one is killed every ten seconds, and no response is wrong.

PostgreSQL, Redis and an S3 store keep running. It takes five minutes, or FAULT_SECONDS.
"""

import os
import sys
from collections import Counter
from contextlib import ExitStack

import pytest
from sqlalchemy import create_engine, text

from comicsdb.catalog import Catalog
from comicsdb.db import session_factory
from comicsdb.media.s3 import S3Storage
from comicsdb.media.sweeping import missing
from tests.factories import Factories
from tests.faults.balanced import HOST, Killer, Node, balancer
from tests.faults.people import Editor, Maker, Member, Owner, Reader, SharedState, Visitor, settle
from tests.faults.postgresql import PostgreSQL
from tests.redis_server import RedisServer
from tests.s3_server import S3Server
from tests.serving import add_account, connected, fetch
from tests.site.test_plugin import MAKE_EDITOR
from tests.waiting import wait_until

SECONDS = float(os.environ.get("FAULT_SECONDS", "300"))
EVERY = 10  # seconds between kills
ISSUES = 400
# No limit is reached, but everything is counted.
LIMITS = {
    "COMICSDB_API_THROTTLE": "on",
    "COMICSDB_THROTTLE_BURST": "1000000",
    "COMICSDB_THROTTLE_SUSTAINED": "1000000",
}


@pytest.fixture
def stage(tmp_path):
    """The database's address, the storage, the nodes, and nginx's port and log."""
    postgresql, redis, store = PostgreSQL(), RedisServer(), S3Server()
    with ExitStack() as stack:
        postgresql.start()
        stack.callback(postgresql.remove)
        redis.start()
        stack.callback(redis.remove)
        store.start()
        stack.callback(store.kill)
        url, settings = postgresql.make(), store.settings()
        more = {
            **{name.upper().replace(".", "_"): value for name, value in settings.items()},
            **LIMITS,
            "COMICSDB_BASE_URL": f"https://{HOST}",
            "COMICSDB_CACHE_URL": redis.url,
            "COMICSDB_MAIL_SENDER": "command",
        }
        nodes = [Node(tmp_path / f"node-{count}", url, count, **more) for count in (2, 1)]
        for node in nodes:
            stack.callback(node.stop)
            node.start()
        port, log = stack.enter_context(balancer(tmp_path / "nginx", nodes))
        given = {name.rpartition(".")[2]: value for name, value in settings.items()}
        del given["storage"]
        yield url, S3Storage(**given), nodes, port, log


def catalog(url: str) -> tuple[list[int], str]:
    """Create issues to collect; returns their ids, and the page of the first."""
    engine = create_engine(url)
    with session_factory(engine)() as session:
        make = Factories(Catalog(session))
        series = make.series()
        issues = [make.issue(series=series, number=str(number)) for number in range(ISSUES)]
        session.commit()
        found = [each.id for each in issues], f"/issue/{issues[0].slug}/"
    engine.dispose()
    return found


def test_one_process_is_killed_every_ten_seconds(stage):
    url, storage, nodes, port, log = stage
    issues, page = catalog(url)
    editor, owner, _ = (add_account(url, name) for name in ("ed", "olga", "mia"))
    with connected(url) as connection:
        connection.execute(text(MAKE_EDITOR))
    crowd = SharedState(port)
    editors, maker = [Editor(crowd, number, editor) for number in range(2)], Maker(crowd, 0, editor)
    collector, member = Owner(crowd, 0, owner, issues), Member(crowd, 0, "mia", "secret", page)
    readers = [Reader(crowd, number, owner) for number in range(2)]
    visitors = [Visitor(crowd, number) for number in range(2)]
    killer = Killer(nodes, EVERY)
    threads = crowd.run([*editors, maker, collector, member, *readers, *visitors])
    try:
        killer.run(SECONDS, lambda: crowd.wrong)
    finally:
        crowd.ended.set()
        for thread in threads:
            thread.join()
        told(crowd, killer, log, maker)
    assert crowd.wrong == []
    check_catalog(url, crowd, maker)
    check_library(url, collector, member)
    reader = Reader(crowd, 9, editor)
    crowd.ended.clear()
    for node in nodes:
        wait_until(node.answers)
    for thing in crowd.things:
        settle(reader, thing)
    for path in {each.path for each in crowd.things[-20:]}:
        asked = {"Host": HOST, "Authorization": editor}
        assert len({fetch(f"http://127.0.0.1:{node.port}{path}", **asked)[2] for node in nodes}) == 1
    reader.leave()
    assert crowd.wrong == []
    check_pictures(url, storage)
    for node in nodes:
        assert "Traceback" not in node.log.read_text()
    assert len(killer.killed) >= SECONDS // EVERY // 2
    assert all(each.seen for each in crowd.things)


def check_catalog(url: str, crowd: SharedState, maker: Maker) -> None:
    """Every acknowledged write is in the database once; others are there once or not at all."""
    with connected(url) as connection:
        rows = connection.execute(text('SELECT name, id, "desc" FROM arc')).all()
        snapshots = connection.execute(
            text("SELECT object_id, snapshot -> 'desc' FROM history WHERE kind = 'arc' ORDER BY id")
        ).all()
        publishers = connection.execute(text("SELECT name, id FROM publisher WHERE id <> 1")).all()
    names = Counter(row.name for row in rows)
    answered = {thing.name: thing for thing in crowd.things}
    assert max(names.values()) == 1
    assert answered.keys() <= names.keys() <= answered.keys() | crowd.tried.keys()
    by_id: dict[int, list[str]] = {}
    for number, written in snapshots:
        by_id.setdefault(number, []).append(written)
    for name, number, written in rows:
        if name not in answered:
            assert (written, by_id[number]) == ("revision 1.", ["revision 1."])
            continue
        thing = answered[name]
        assert thing.path == f"/api/arc/{number}/"
        done = [int(each.split()[1].rstrip(".")) for each in by_id[number]]
        assert done == sorted(set(done))
        assert set(thing.answered) <= set(done) <= set(range(1, thing.begun + 1))
        assert written == f"revision {done[-1]}."
    mine = [row for row in publishers if row.name in maker.written]
    assert len(mine) == len(maker.written)
    assert {row.name: row.id for row in mine} == maker.written


def check_library(url: str, collector: Owner, member: Member) -> None:
    """The same for a collection and for a rating."""
    with connected(url) as connection:
        counted = (
            "SELECT issue_id, (SELECT count(*) FROM read_date WHERE issue_id = i.issue_id)"
            " FROM collection_item i"
        )
        items = {row[0]: row[1] for row in connection.execute(text(counted))}
        stars = connection.execute(text("SELECT rating FROM issue_rating")).scalars().all()
        figures = connection.execute(
            text("SELECT rating_count, rating_sum FROM issue WHERE rating_count > 0")
        ).all()
    assert collector.own.keys() <= items.keys() <= collector.own.keys() | set(collector.tried)
    for issue, thing in collector.own.items():
        assert thing.confirmed <= items[issue] <= thing.begun
    assert len(stars) == 1
    assert set(stars) <= member.stars
    assert figures == [(1, stars[0])]


def check_pictures(url: str, storage) -> None:
    """No row names a picture that does not exist."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        assert list(missing(connection, storage)) == []
    engine.dispose()


def told(crowd: SharedState, killer: Killer, log, maker: Maker) -> None:
    """Print what happened: kills, responses, and failures that the balancer hid by asking another node."""
    upstreams = Counter(line.split('"')[-2] for line in log.read_text().splitlines())
    again = {statuses: number for statuses, number in upstreams.items() if "," in statuses}
    lines = [
        f"kills: {dict(Counter(killer.killed))}, spared: {killer.spared}",
        f"answers: {dict(sorted(crowd.statuses.items(), key=str))}, the slowest after {crowd.slowest:.1f} s",
        f"{sum(upstreams.values())} at the balancer, which asked again: {again}",
        f"{len(crowd.things)} arcs, {sum(len(each.answered) for each in crowd.things)} numbers of theirs,"
        f" {len(maker.written)} publishers ({maker.again} sent again), {crowd.tried.total()} not answered",
    ]
    sys.stdout.write("\n" + "\n".join(lines) + "\n")
