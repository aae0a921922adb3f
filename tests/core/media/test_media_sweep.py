"""The `media` commands: orphans are removed, lost pictures reported, and covers hashed."""

import io
from datetime import timedelta

import pytest
from PIL import Image
from sqlalchemy import create_engine, text, update

from comicsdb import clock, models
from comicsdb.catalog import Catalog
from comicsdb.catalog.maintenance.cover_hashes import add_missing_hashes
from comicsdb.imaging.hashes import hashes
from comicsdb.imaging.picture import DEFAULT_UPLOAD_SIZES, UPLOAD_SIZES
from comicsdb.library import acts
from comicsdb.library import reading_lists as lists
from comicsdb.media import sweeping
from comicsdb.media.storage import FolderStorage
from comicsdb.media.sweeping import missing, sweep, tables_with_pictures
from comicsdb.media.thumbnails import open_thumbnail
from comicsdb.media.uploads import picture_values
from comicsdb.models import LibraryAct
from comicsdb.ops.jobs import MEDIA, job_lock
from tests.core.cli.conftest import run
from tests.core.media.test_media_storage import names
from tests.dataset import picture
from tests.factories import Factories
from tests.lists import OFFICIAL, identity_of, make_list
from tests.pictures import encoded, save_picture
from tests.serving import write_ini


@pytest.fixture
def at_once(database):
    """A connection in autocommit mode."""
    engine = create_engine(database, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@pytest.fixture
def made(factory):
    """Factories with a session that really commits."""
    with factory() as session:
        yield Factories(Catalog(session))


def swept(connection, media, hours=0.0, **options) -> list[str]:
    """The keys of the files that a sweep finds."""
    found = sweep(connection, media, timedelta(hours=hours), dry_run=options.get("dry_run", False))
    return sorted(entry.key for entry in found)


def noise(size=(60, 90)) -> bytes:
    """A picture of noise, so that its hash is not trivial."""
    return encoded(Image.effect_noise(size, 80).convert("RGB"))


def test_every_table_with_pictures_is_known(connection):
    named = text(
        "SELECT DISTINCT table_name FROM information_schema.columns WHERE table_schema = 'public'"
        " AND column_name ~ 'image|picture' AND table_name <> 'picture_hash'"  # its rows go with the pictures
    )
    assert tables_with_pictures() == sorted(connection.scalars(named))
    assert {"issue", "variant", "user_account", "reading_list", "picture_draft"} <= {*tables_with_pictures()}


def test_a_sweep_removes_what_no_row_names_and_nothing_else(storage, at_once, made):
    kinds = ("publisher", "imprint", "universe", "creator", "team", "character", "arc", "issue")
    keys = {
        kind: save_picture(storage, kind, picture(), "png")
        for kind in (*kinds, "variants", "user", "reading_list")
    }
    for kind in kinds:
        getattr(made, kind)(
            image=keys[kind], **({"variants": [{"image": keys["variants"]}]} if kind == "issue" else {})
        )
    at_once.execute(text("UPDATE user_account SET image = :key"), {"key": keys["user"]})
    make_list(made.session, made.user(), image=keys["reading_list"])
    orphan = save_picture(storage, "issue", picture(), "png")
    for key in (orphan, keys["issue"]):
        open_thumbnail(storage, "cover", key).stream.close()
    before = names(storage)
    assert swept(at_once, storage, dry_run=True) == [orphan, orphan]
    assert names(storage) == before
    assert swept(at_once, storage, hours=1) == []  # recent files may not be committed yet
    assert swept(at_once, storage) == [orphan, orphan]
    assert names(storage) == sorted([*keys.values(), keys["issue"]])
    assert swept(at_once, storage) == []


def test_a_thumbnail_goes_after_its_picture(storage, at_once):
    key = save_picture(storage, "issue", picture(), "png")
    open_thumbnail(storage, "cover", key).stream.close()
    storage.remove(key)  # without its thumbnails
    assert swept(at_once, storage) == [key]
    assert names(storage) == []


def test_unfinished_files_go_and_foreign_files_stay(folder, at_once):
    day = folder.path("issue/2026/11/22/x.png").parent
    day.mkdir(parents=True)
    for name in (".x.png.12ab.new", "notes.txt.old"):
        (day / name).write_bytes(b"?")
    assert swept(at_once, folder) == [""]
    assert [path.name for path in day.iterdir()] == ["notes.txt.old"]


def test_what_is_named_while_the_sweep_runs_stays(folder, at_once, made, monkeypatch):
    monkeypatch.setattr(sweeping, "BATCH", 2)
    keys = sorted(save_picture(folder, "user", picture(), "png") for _ in range(6))
    found = sweep(at_once, folder, timedelta(), dry_run=False)
    assert [next(found).key, next(found).key] == keys[:2]
    made.arc(image=keys[4])
    assert [entry.key for entry in found] == [keys[2], keys[3], keys[5]]
    assert names(folder) == [keys[4]]


def test_an_upload_under_way_is_safe_from_the_sweep(folder, at_once, factory):
    with factory() as session:
        values = picture_values(session, folder, "arc", picture(), hashed=False)
        assert swept(at_once, folder, hours=24) == []
        Catalog(session).create(models.Arc, {"name": "Salt Tide"} | values)
        session.commit()
    assert swept(at_once, folder) == []
    assert set(names(folder)) == {values["image"]}


def test_rows_that_lost_their_picture_are_told(storage, at_once, made):
    here, lost, variant = (
        save_picture(storage, kind, picture(), "png") for kind in ("arc", "arc", "variants")
    )
    made.arc(name="Here", image=here)
    arc = made.arc(name="Lost", image=lost)
    issue = made.issue(variants=[{"image": variant}])
    assert list(missing(at_once, storage)) == []
    storage.delete(lost)
    storage.delete(variant)
    found = [(owner.table, owner.key) for owner in missing(at_once, storage)]
    assert found == [("arc", lost), ("variant", variant)]
    assert (arc.image, issue.image) == (lost, "")


def test_covers_without_a_hash_get_theirs_and_are_edited_properly(storage, made):
    session = made.catalog.session
    data = noise()
    first, second, third = (
        save_picture(storage, kind, data, "png") for kind in ("issue", "variants", "variants")
    )
    bare = made.issue(
        image=first, variants=[{"image": second, "name": "Foil"}, {"image": third, "cover_hash": "kept"}]
    )
    hashed = made.issue(image=save_picture(storage, "issue", data, "png"), cover_hash="0" * 16)
    broken = made.issue(image=save_picture(storage, "issue", b"no picture", "png"))
    lost = made.issue(image="issue/2026/01/01/lost.png")
    stamps = {issue.id: issue.modified for issue in (bare, hashed, broken, lost)}
    assert list(add_missing_hashes(session, storage)) == [(4, 2)]
    session.expire_all()
    with Image.open(io.BytesIO(data)) as image:
        right = hashes(image)["phash"]
    assert (bare.cover_hash, hashed.cover_hash, broken.cover_hash, lost.cover_hash) == (
        right,
        "0" * 16,
        "",
        "",
    )
    variants = session.execute(text("SELECT name, image, cover_hash FROM variant ORDER BY id")).all()
    assert variants == [("Foil", second, right), ("", third, "kept")]
    assert [issue.id for issue in (bare, hashed, broken, lost) if issue.modified != stamps[issue.id]] == [
        bare.id
    ]
    assert list(add_missing_hashes(session, storage)) == [(0, 2)]


def test_a_sweep_keeps_what_an_undo_would_bring_back(storage, at_once, made):
    session, owner = made.catalog.session, made.user()
    old, new = (save_picture(storage, "reading_list", picture(), "png") for _ in range(2))
    changed = make_list(session, owner, image=old)
    lists.update(session, identity_of(owner), OFFICIAL, changed, {"image": new})
    session.commit()
    assert acts.clean(session) == 0
    assert swept(at_once, storage) == []
    session.execute(update(LibraryAct).values(at=clock.now() - acts.RETENTION))
    assert acts.clean(session) == 2
    session.commit()
    assert swept(at_once, storage) == [old]


def test_a_cover_that_changes_while_it_is_hashed_keeps_its_own_hash(folder, made, factory, monkeypatch):
    session = made.catalog.session
    issue = made.issue(image=save_picture(folder, "issue", noise(), "png"))
    new = save_picture(folder, "issue", noise(), "png")
    read = folder.read

    def read_and_change(key):
        with factory() as other:
            catalog = Catalog(other)
            catalog.update(catalog.get(models.Issue, issue.id), {"image": new, "cover_hash": "f" * 16})
            other.commit()
        return read(key)

    monkeypatch.setattr(folder, "read", read_and_change)
    assert list(add_missing_hashes(session, folder)) == [(1, 0)]
    session.expire_all()
    assert (issue.image, issue.cover_hash) == (new, "f" * 16)


def test_the_commands_say_what_they_did(database, tmp_path, made, folder):
    ini = write_ini(tmp_path, database)
    issue = made.issue(image=save_picture(folder, "issue", noise(), "png"))
    orphan = save_picture(folder, "arc", picture(), "png")
    told = run("-c", ini, "media", "sweep")
    assert (told.exit_code, told.output) == (0, "0 files that no row names, removed.\n")
    told = run("-c", ini, "media", "sweep", "--dry-run", "--older-than", "0")
    assert told.output == f"{orphan}\n1 file that no row names. Dry run: nothing was removed.\n"
    told = run("-c", ini, "media", "sweep", "--older-than", "0")
    assert told.output == f"{orphan}\n1 file that no row names, removed.\n"
    assert run("-c", ini, "media", "hash").output == "1 cover hashed.\n"
    assert run("-c", ini, "media", "check").output == "Every row has its picture.\n"
    folder.delete(issue.image)
    told = run("-c", ini, "media", "check")
    assert (told.exit_code, told.output) == (
        1,
        f"issue {issue.id}: {issue.image}\nError: 1 row has lost the picture.\n",
    )
    made.catalog.update(issue, {"cover_hash": ""})
    made.catalog.session.commit()
    told = run("-c", ini, "media", "hash")
    assert (told.exit_code, told.output) == (
        1,
        "0 covers hashed.\nError: 1 cannot be opened; the log names them.\n",
    )


def test_only_one_sweep_runs_at_a_time(database, tmp_path, at_once):
    with job_lock(at_once.engine, MEDIA):
        told = run("-c", write_ini(tmp_path, database), "media", "sweep")
    assert (told.exit_code, told.output) == (
        1,
        "Error: The command, or one that must not run at the same time, is already running.\n",
    )


def test_thumbnails_of_imported_pictures_are_made_before_anybody_asks(made, database, tmp_path):
    ini = write_ini(tmp_path, database)
    storage = FolderStorage(tmp_path / "media")
    keys = {kind: save_picture(storage, kind, noise(), "png") for kind in ("issue", "publisher", "creator")}
    broken = save_picture(storage, "issue", b"no picture", "png")
    open_thumbnail(storage, "cover", keys["issue"]).stream.close()
    made.issue(image=keys["issue"])
    made.publisher(image=keys["publisher"])
    made.creator(image=keys["creator"])
    made.issue(image=broken)
    unused = save_picture(storage, "issue", noise(), "png")
    made.catalog.session.commit()
    result = run("-c", ini, "media", "thumbnails")
    assert result.output == "3 pictures got thumbnails.\nError: 1 cannot be opened; the log names them.\n"
    for kind, key in keys.items():
        for size in UPLOAD_SIZES.get(kind, DEFAULT_UPLOAD_SIZES):
            assert storage.exists(key, size), (key, size)
    assert not storage.exists(unused, "cover")
    assert run("-c", ini, "media", "thumbnails").output.startswith("0 pictures got thumbnails.")
