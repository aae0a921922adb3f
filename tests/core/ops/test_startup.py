"""What the log says when a site starts."""

import pytest

from comicsdb.config import parse_settings
from comicsdb.ops import logs
from tests.conftest import API_ONLY, build_app
from tests.serving import SECRET

COUNTED, CACHED = "Limits are counted in {}, for all processes together.", "The cache is in {}."
ALONE = f"{COUNTED.format('PostgreSQL')} {CACHED.format('the memory of each process')}"
SHARED = "Redis, for all processes together, and in the memory of each"
REDIS = f"{COUNTED.format('Redis')} {CACHED.format(SHARED)}"
MAIL = "Mail goes to the SMTP server localhost:25"
SECRET_URL = "redis://:hush@cache:6379/0"


@pytest.mark.parametrize(
    ("given", "processes", "words"),
    [
        ({}, 1, f"comicsdb starts with 1 process. {ALONE} {MAIL}."),
        ({"comicsdb.cache.url": SECRET_URL}, 4, f"comicsdb starts with 4 processes. {REDIS} {MAIL}."),
        (
            {"comicsdb.mail.sender": "command", "mail.host": "mail.example", "mail.port": "465"},
            2,
            f"comicsdb starts with 2 processes. {ALONE} Mail goes to the SMTP server mail.example:465, when"
            " `comicsdb mail send` is run.",
        ),
        (
            {"comicsdb.mail.folder": "/srv/mail", "comicsdb_api.throttle": "off"},
            1,
            f"comicsdb starts with 1 process. {ALONE.replace('together.', 'together; the API has none.')}"
            " Mail is not sent but written into /srv/mail.",
        ),
    ],
)
def test_it_says_how_many_processes_what_they_share_and_where_mail_goes(given, processes, words, caplog):
    caplog.set_level("INFO")
    settings = {"sqlalchemy.url": "postgresql://x/y", "comicsdb.secret": SECRET}
    logs.log_start(parse_settings(settings | given), processes)
    assert [record.getMessage() for record in caplog.records] == [words]


def test_an_application_in_one_process_says_it_once(shared_database, media_folder, caplog):
    caplog.set_level("INFO")
    app = build_app(shared_database, media_folder, **API_ONLY)
    told = [record for record in caplog.records if record.name == "comicsdb.ops.logs"]
    assert [each.args[0] for each in told] == ["1 process"]
    app.registry["comicsdb.engine"].dispose()
