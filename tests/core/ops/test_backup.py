"""`comicsdb backup` and `restore`: rows and pictures come back unchanged, and nothing is left half done."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from redis import Redis
from sqlalchemy import create_engine, text

from comicsdb import clock
from comicsdb.catalog import Catalog
from comicsdb.cli.database import is_current
from comicsdb.library import reading_lists as lists
from comicsdb.media.storage import FolderStorage
from comicsdb.models import Publisher
from comicsdb.ops import backup as backups
from comicsdb.ops.backup import BackupError
from comicsdb.ops.dated_folders import TIME_FORMAT
from comicsdb.ops.jobs import BACKUP, job_lock
from comicsdb.readcache.regions import Cache
from tests.core.cli.conftest import run
from tests.factories import Factories
from tests.full_disk import full_disk
from tests.lists import OFFICIAL, identity_of, make_list
from tests.pictures import save_picture
from tests.serving import write_ini

RUNNING = "The command, or one that must not run at the same time, is already running."
PNG = b"\x89PNG, as far as a backup is concerned"


def rows(url: str) -> dict[str, list[str]]:
    """Rows of all tables as text, but not the epoch (has to differ) and touched objects (not restored)."""
    engine = create_engine(url)
    with engine.connect() as connection:
        tables = connection.scalars(
            text(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
                " AND tablename NOT IN ('epoch', 'touched_object')"
            )
        ).all()
        found = {
            table: connection.scalars(text(f'SELECT t::text FROM "{table}" t ORDER BY 1')).all()
            for table in tables
        }
    engine.dispose()
    return found


def value(url: str, sql: str):
    """The single value of a query, on a separate connection."""
    engine = create_engine(url)
    with engine.begin() as connection:
        found = connection.scalar(text(sql))
    engine.dispose()
    return found


@pytest.fixture
def empty(cluster):
    """The URL of a database without tables."""
    cluster.ensure_database("restored")
    yield cluster.url("restored")
    cluster.drop_database("restored")


@pytest.fixture
def site(database, factory, tmp_path):
    """The ini file of a site with two publishers, one of which has a picture."""
    storage = FolderStorage(tmp_path / "media")
    with factory() as session:
        catalog = Catalog(session)
        key = save_picture(storage, "publisher", PNG, "png")
        catalog.create(Publisher, {"name": "Élektra – 漫画"})
        catalog.create(Publisher, {"name": "Illustrated"})
        session.execute(
            text(
                "UPDATE publisher SET image = :key, image_width = 1, image_height = 1"
                " WHERE name = 'Illustrated'"
            ),
            {"key": key},
        )
        session.commit()
    (tmp_path / "source").mkdir()
    ini = write_ini(tmp_path / "source", database)
    ini.write_text(ini.read_text().replace(str(tmp_path / "source" / "media"), str(tmp_path / "media")))
    return ini


def target(tmp_path: Path, url: str) -> Path:
    """The ini file of a site with another database and another folder of pictures."""
    (tmp_path / "target").mkdir(exist_ok=True)
    return write_ini(tmp_path / "target", url)


def made(result) -> Path:
    """The folder of the new backup, as printed by the command."""
    assert result.exit_code == 0, result.output
    return Path(result.output.splitlines()[-1].partition(": ")[0])


def test_what_was_backed_up_comes_back(site, database, empty, tmp_path, redis, monkeypatch):
    count = "INSERT INTO rate_limit VALUES ('ip:192.0.2.7', 'burst', '{}', '{0}', 0)"
    engine = create_engine(database)
    with engine.begin() as connection:
        connection.execute(text(count))
    engine.dispose()
    first = made(run("-c", site, "backup", tmp_path / "backups"))
    assert {each.name for each in first.iterdir()} == {"database.dump", "pictures", "backup.json"}
    before = rows(database)
    assert len(before["publisher"]) == 2

    monkeypatch.setenv("COMICSDB_CACHE_URL", redis.url)
    Cache(redis.url).detail.get_or_create("publisher:1", lambda: b"from another life")
    ini = target(tmp_path, empty)
    result = run("-c", ini, "restore", first)
    assert result.exit_code == 0, result.output
    assert before.pop("rate_limit") and not rows(empty)["rate_limit"]  # noqa: PT018
    assert {name: found for name, found in rows(empty).items() if name != "rate_limit"} == before
    engine = create_engine(empty)
    assert is_current(engine)
    engine.dispose()
    key = value(empty, "SELECT image FROM publisher WHERE image <> ''")
    assert FolderStorage(tmp_path / "target" / "media").read(key) == PNG
    assert value(empty, "SELECT count(*) FROM touched_object") == 0
    assert value(empty, "SELECT sum(value) FROM epoch") > value(database, "SELECT sum(value) FROM epoch")
    installation = "SELECT installation FROM epoch WHERE id = 1"
    assert value(empty, installation) != value(database, installation)
    assert Redis.from_url(redis.url).keys("comicsdb:*") == []
    # The sequence of ids continues.
    assert value(empty, "SELECT nextval(pg_get_serial_sequence('publisher', 'id'))") > 2


def test_a_backup_holds_the_pictures_that_an_undo_would_bring_back(site, tmp_path, factory):
    key = save_picture(FolderStorage(tmp_path / "media"), "reading_list", PNG, "png")
    with factory() as session:
        owner = Factories(Catalog(session)).user()
        removed = make_list(session, owner, image=key)
        lists.remove(session, identity_of(owner), OFFICIAL, removed)
        session.commit()
    backup = made(run("-c", site, "backup", tmp_path / "backups"))
    assert (backup / "pictures" / key).read_bytes() == PNG


def test_a_target_that_is_not_empty_is_refused_and_replaced_by_force(
    site, database, tmp_path, cluster, template
):
    backup = made(run("-c", site, "backup", tmp_path / "backups"))
    before = rows(database)
    value(
        database,
        "INSERT INTO user_account (username, email, password) VALUES ('late', 'l@x', '!') RETURNING id",
    )
    changed = rows(database)
    refused = run("-c", site, "restore", backup)
    assert refused.exit_code == 1
    assert "not empty" in refused.output
    assert rows(database) == changed

    # A truncated dump changes nothing, even with --force.
    spoilt = tmp_path / "spoilt"
    spoilt.mkdir()
    label = json.loads((backup / "backup.json").read_text())
    dump = (backup / "database.dump").read_bytes()[: label["dump_bytes"] * 2 // 3]
    (spoilt / "database.dump").write_bytes(dump)
    (spoilt / "backup.json").write_text(json.dumps(label))
    assert "damaged" in run("-c", site, "restore", spoilt, "--force").output
    (spoilt / "backup.json").write_text(
        json.dumps(label | {"dump_sha256": backups._digest(spoilt / "database.dump")})
    )
    broken = run("-c", site, "restore", spoilt, "--force")
    assert broken.exit_code == 1
    assert "Nothing was restored" in broken.output
    assert rows(database) == changed

    forced = run("-c", site, "restore", backup, "--force")
    assert forced.exit_code == 0, forced.output
    assert rows(database) == before


def test_pictures_of_the_backup_before_are_shared(site, tmp_path):
    folder = tmp_path / "backups"
    first = made(run("-c", site, "backup", folder))
    first = first.rename(first.with_name((clock.now() - timedelta(days=40)).strftime(TIME_FORMAT)))
    (folder / "20200101T000000Z.partial").mkdir()  # left by a run that was killed
    (folder / "download.partial").touch()  # not ours
    second = made(run("-c", site, "backup", folder))
    (one,), (other,) = (list((each / "pictures").rglob("*.png")) for each in (first, second))
    assert one.samefile(other)
    third = run("-c", site, "backup", folder, "--keep", "30")
    assert third.exit_code == 0, third.output
    assert not first.exists()
    assert [each.name for each in folder.glob("*.partial")] == ["download.partial"]
    assert other.read_bytes() == PNG


def test_pictures_in_a_bucket(site, database, empty, s3_server, tmp_path):
    source, copy = s3_server.storage(), s3_server.storage()
    key = value(database, "SELECT image FROM publisher WHERE image <> ''")
    source.put(key, PNG)
    engine, other = create_engine(database), create_engine(empty)
    made = backups.make(engine, source, tmp_path / "backups")
    assert (made.lost, made.backup.label.pictures) == ((), 1)
    backups.restore(other, copy, made.backup, force=False)
    assert copy.read(key) == PNG
    for each in (engine, other):
        each.dispose()


def test_a_picture_replaced_meanwhile_is_not_missed(database, factory, site, tmp_path):
    """Every picture that the dump names is in the backup."""
    engine, folder = create_engine(database), FolderStorage(tmp_path / "media")

    class Hasty(FolderStorage):
        """A storage in which somebody replaces the picture during each of the first two reads."""

        looks = 0

        def read(self, key):
            self.looks += 1
            if self.looks == 1:  # a new picture, which is deleted before the second attempt reads it
                later = save_picture(folder, "publisher", b"later", "png")
                value(database, f"UPDATE publisher SET image = '{later}' RETURNING 1")
                self.later = later
                return super().read(key)
            if key == self.later and self.looks == 2:
                latest = save_picture(folder, "publisher", b"latest", "png")
                value(database, f"UPDATE publisher SET image = '{latest}' RETURNING 1")
                folder.delete(key)
            return super().read(key)

    result = backups.make(engine, Hasty(tmp_path / "media"), tmp_path / "backups")
    engine.dispose()
    assert result.lost == ()
    assert b"latest" in [each.read_bytes() for each in (result.backup.folder / "pictures").rglob("*.png")]


def test_a_picture_that_is_lost_is_told_and_the_backup_made(site, tmp_path):
    for each in (tmp_path / "media").rglob("*.png"):
        each.unlink()
    result = run("-c", site, "backup", tmp_path / "backups")
    assert result.exit_code == 1
    assert "lost 1 picture" in result.output
    (folder,) = (tmp_path / "backups").iterdir()
    backups.Backup.open(folder)


def test_a_restored_copy_that_lacks_pictures_is_told(site, empty, tmp_path):
    backup = made(run("-c", site, "backup", tmp_path / "backups"))
    for each in (backup / "pictures").rglob("*.png"):
        each.unlink()
    result = run("-c", target(tmp_path, empty), "restore", backup)
    assert result.exit_code == 1
    assert "The database was restored, but the folder has 0 of the backup's 1 pictures" in result.output
    assert len(rows(empty)["publisher"]) == 2


def test_a_backup_on_a_full_disk_names_the_folder_and_leaves_nothing(site, tmp_path):
    folder = tmp_path / "backups"
    with full_disk():
        result = run("-c", site, "backup", folder)
    assert result.exit_code == 1
    assert result.output.startswith(f"Error: [Errno 27] File too large: '{folder}/")
    assert list(folder.iterdir()) == []


def test_only_one_backup_or_restore_runs_at_a_time(site, database, tmp_path):
    """Of two restores into the same place, the one that failed would remove the pictures of the other."""
    backup = made(run("-c", site, "backup", tmp_path / "backups"))
    engine = create_engine(database)
    with job_lock(engine, BACKUP):
        for arguments in (("backup", tmp_path / "backups"), ("restore", backup, "--force")):
            refused = run("-c", site, *arguments)
            assert (refused.exit_code, refused.output) == (1, f"Error: {RUNNING}\n")
    engine.dispose()


def test_what_is_no_backup_is_refused(tmp_path):
    with pytest.raises(BackupError, match="no whole backup"):
        backups.Backup.open(tmp_path)
