"""The public interface of the cache, in memory and in Redis: hits, lifetimes, one creator at a time."""

import gc
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import time_machine
from dogpile.cache.api import NO_VALUE
from pyramid.request import Request, apply_request_extensions

from comicsdb.config import SettingsError, parse_settings
from comicsdb.readcache import memory, redis_store
from comicsdb.readcache.regions import Cache, from_settings, get_or_create
from tests.conftest import build_app
from tests.serving import SECRET

REQUIRED = {"sqlalchemy.url": "postgresql:///none", "comicsdb.secret": SECRET}
STORES = ("memory", "redis", "redis alone")
KEY = "issue:retrieve:42:2026-11-21T00:00:00.000001:0f3a"


@pytest.fixture(params=STORES)
def make_cache(request):
    """A function that makes caches with one kind of store; those with Redis share it."""
    if request.param == "memory":
        return Cache
    url = request.getfixturevalue("redis").url
    memory_mb = 0 if request.param == "redis alone" else 64
    return lambda **more: Cache(url, **{"memory_mb": memory_mb} | more)


@pytest.fixture
def cache(make_cache):
    """A cache with each kind of store."""
    return make_cache()


def never():
    """A creator that must not be called."""
    raise AssertionError("created once more")


class CountingCreator:
    """Creates a value, slowly, and counts its calls; the first `failures` calls fail."""

    def __init__(self, value=b"made", failures=0):
        self.value = value
        self.failures = failures
        self.calls = 0
        self._lock = threading.Lock()

    def __call__(self):
        with self._lock:
            self.calls += 1
            call = self.calls
        time.sleep(0.1)  # meanwhile the other callers arrive
        if call <= self.failures:
            raise LookupError(f"failure {call}")
        return self.value


def run_in_threads(number, job):
    """Run a job in threads that start together; returns their results or the exceptions that ended them."""
    barrier = threading.Barrier(number)

    def run(_):
        barrier.wait()
        try:
            return job()
        except LookupError as error:
            return error

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(run, range(number)))


# Values.


@pytest.mark.parametrize("value", [b"{}", b"", bytes(range(256)) * 200, b"a|b|" * 3])
def test_a_value_is_missed_once_and_comes_back_byte_for_byte(cache, value):
    assert cache.detail.get(KEY) is NO_VALUE
    assert get_or_create(cache.detail, KEY, lambda: value) == (value, False)
    assert cache.detail.get(KEY) == value
    assert get_or_create(cache.detail, KEY, never) == (value, True)


def test_keys_and_regions_are_kept_apart(cache):
    keys = ["issue:retrieve:1", "issue:issue_list:1", "issue:retrieve:11", "épisode:1", "x" * 500, "a b\n"]
    for region, name in ((cache.detail, "detail"), (cache.list, "list")):
        for key in keys:
            value = f"{name} {key}".encode()
            assert get_or_create(region, key, lambda value=value: value) == (value, False)
    for region, name in ((cache.detail, "detail"), (cache.list, "list")):
        assert [region.get(key) for key in keys] == [f"{name} {key}".encode() for key in keys]


def test_clearing_forgets_everything(cache, monkeypatch):
    monkeypatch.setattr(redis_store, "BATCH", 100)
    for number in range(250):  # more than one batch of a scan
        get_or_create(cache.list, f"issue:{number}", lambda: b"x")
    get_or_create(cache.detail, KEY, lambda: b"x")
    cache.clear()
    assert cache.detail.get(KEY) is NO_VALUE
    assert not any(cache.list.get(f"issue:{number}") for number in range(250))


def test_what_is_no_bytes_is_refused_and_not_kept(cache):
    with pytest.raises(TypeError, match="bytes, not str"):
        get_or_create(cache.detail, KEY, lambda: "text")
    assert get_or_create(cache.detail, KEY, lambda: b"bytes") == (b"bytes", False)


def test_a_value_is_there_for_its_lifetime(make_cache):
    cache = make_cache(list_seconds=60)
    with time_machine.travel(time.time()) as clock:
        get_or_create(cache.detail, KEY, lambda: b"long")
        get_or_create(cache.list, KEY, lambda: b"short")
        assert cache.list.get(KEY) == b"short"
        clock.shift(60)
        assert cache.list.get(KEY) is NO_VALUE
        assert get_or_create(cache.list, KEY, lambda: b"new") == (b"new", False)
        assert cache.detail.get(KEY) == b"long"


# One creator at a time.


def test_of_many_who_miss_at_once_one_creates(cache):
    creator = CountingCreator()
    answers = run_in_threads(12, lambda: get_or_create(cache.detail, KEY, creator))
    assert creator.calls == 1
    assert sorted(answers) == [(b"made", False)] + [(b"made", True)] * 11


def test_a_failure_is_its_own_callers_alone_and_another_creates(cache):
    creator = CountingCreator(failures=3)
    answers = run_in_threads(8, lambda: get_or_create(cache.detail, KEY, creator))
    assert creator.calls == 4
    assert sorted(str(answer) for answer in answers if isinstance(answer, LookupError)) == [
        "failure 1",
        "failure 2",
        "failure 3",
    ]
    assert sorted(answer for answer in answers if not isinstance(answer, LookupError)) == (
        [(b"made", False)] + [(b"made", True)] * 4
    )


def test_distinct_keys_do_not_wait_for_each_other(cache):
    begun, may_end = threading.Event(), threading.Event()

    def slow():
        begun.set()
        assert may_end.wait(30)
        return b"slow"

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(get_or_create, cache.detail, "one", slow)
        assert begun.wait(60)
        assert get_or_create(cache.detail, "other", lambda: b"quick") == (b"quick", False)
        assert get_or_create(cache.list, "one", lambda: b"quick") == (b"quick", False)
        assert not waiting.done()
        may_end.set()
        assert waiting.result(60) == (b"slow", False)


def test_who_has_waited_long_enough_creates_for_itself(cache, monkeypatch):
    monkeypatch.setattr(memory, "LOCK_WAIT", 0.1)
    begun, may_end = threading.Event(), threading.Event()

    def stuck():
        begun.set()
        assert may_end.wait(30)
        return b"made"

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(get_or_create, cache.detail, KEY, stuck)
        assert begun.wait(60)
        assert get_or_create(cache.detail, KEY, lambda: b"made") == (b"made", False)
        assert not first.done()
        may_end.set()
        assert first.result(60) == (b"made", False)
    assert get_or_create(cache.detail, "next", lambda: b"x") == (b"x", False)


def test_locks_leave_nothing_behind(cache):
    for number in range(300):
        creator = CountingCreator if number % 100 == 0 else (lambda: lambda: b"x")
        get_or_create(cache.detail, f"issue:{number}", creator())
    with pytest.raises(LookupError):
        get_or_create(cache.detail, KEY, CountingCreator(failures=1))
    gc.collect(1)  # the locks are in the young generations; a full collection takes seconds
    assert not [each for each in gc.get_objects() if isinstance(each, memory.CreationLock)]


def test_a_frame_that_a_traceback_keeps_does_not_keep_the_value(cache):
    kept = []

    def create():
        kept.append(sys._getframe())  # and with it the frames of its callers
        return b"old"

    get_or_create(cache.detail, KEY, create)
    cache.clear()
    assert get_or_create(cache.detail, KEY, lambda: b"new") == (b"new", False)


# In the application.


def test_a_request_has_the_cache_of_its_process(wsgi):
    request = Request.blank("/")
    request.registry = wsgi.registry
    apply_request_extensions(request)
    assert request.cache is wsgi.registry["comicsdb.cache"]
    assert isinstance(request.cache, Cache)


@pytest.mark.parametrize(
    "url",
    [
        "memcached://localhost",
        "localhost:6379",
        "redis://",
        "redis://localhost:99999",
        "redis://localhost/first",
        "redis://[::1",
        "unix:socket",
        "redis://localhost?nonsense=1",
        "redis://localhost?socket_timeout=soon",
        "redis://localhost?decode_responses=true",
    ],
)
def test_a_wrong_address_is_refused_by_name(url):
    with pytest.raises(SettingsError, match=r"comicsdb\.cache\.url"):
        from_settings(parse_settings(REQUIRED | {"comicsdb.cache.url": url}))


def test_a_wrong_address_stops_the_start(shared_database, media_folder):
    with pytest.raises(SettingsError, match=r"comicsdb\.cache\.url"):
        build_app(shared_database, media_folder, **{"comicsdb.cache.url": "redis://"})


def test_without_the_library_for_redis_a_start_that_needs_it_names_the_remedy():
    program = """
import sys
sys.modules["redis"] = None  # as if it were not installed
from comicsdb.readcache.regions import Cache, from_settings, get_or_create
from comicsdb.cli import main
from comicsdb.config import SettingsError, parse_settings
given = {"sqlalchemy.url": "postgresql:///none", "comicsdb.secret": "0123456789abcdefghijklmnopqrstuv"}
assert get_or_create(from_settings(parse_settings(given)).detail, "key", lambda: b"x") == (b"x", False)
try:
    from_settings(parse_settings(given | {"comicsdb.cache.url": "redis://localhost"}))
except SettingsError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stderr, "comicsdb.cache.url" in done.stdout) == ("", True)
    assert "pip install 'comicsdb[redis]'" in done.stdout


def test_the_application_starts_without_the_redis_it_names(shared_database, media_folder, redis):
    redis.kill()
    app = build_app(shared_database, media_folder, **{"comicsdb.cache.url": redis.url})
    assert get_or_create(app.registry["comicsdb.cache"].detail, KEY, lambda: b"x") == (b"x", False)
    app.registry["comicsdb.engine"].dispose()
