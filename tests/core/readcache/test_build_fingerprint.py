"""The build fingerprint changes with every file of every package."""

import sys

from comicsdb.readcache.build_fingerprint import digest_of, fingerprint_of


def test_every_file_of_every_package_counts_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    page = tmp_path / "harbors" / "templates" / "page.jinja2"
    page.parent.mkdir(parents=True)
    (tmp_path / "harbors" / "__init__.py").touch()

    def now() -> str:
        digest_of.cache_clear()
        return fingerprint_of(frozenset(("comicsdb", "harbors")))

    page.write_text("Harbor")
    first = now()
    assert len(first) == 16
    compiled = tmp_path / "harbors" / "__pycache__" / "x.pyc"
    compiled.parent.mkdir()
    compiled.write_text("x")
    assert now() == first
    page.write_text("Port")
    second = now()
    page.rename(page.with_name("other.jinja2"))
    assert len({first, second, now(), fingerprint_of(frozenset(("comicsdb",)))}) == 4


def test_the_packages_that_settings_include_count(wsgi):
    packages = frozenset(("comicsdb", "comicsdb_api", "comicsdb_web"))
    assert wsgi.registry["comicsdb.build_fingerprint"] == fingerprint_of(packages)
    cache = wsgi.registry["comicsdb.cache"]
    cache.list.set("key", b"x")
    assert cache.lru.get(f"comicsdb:list:key:{fingerprint_of(packages)}").payload == b"x"
