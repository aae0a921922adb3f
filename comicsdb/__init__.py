"""The core of comicsdb: the catalog, readers' libraries, accounts, and everything they share."""

import gc


def main(global_config, **settings):
    """Return the WSGI application; API and site are included by the setting `pyramid.includes`."""
    gc.disable()  # nearly all objects created at start are permanent; collecting takes a quarter of the time
    try:
        from pyramid.config import Configurator  # noqa: PLC0415  (not needed to decode pictures)

        from comicsdb.config import parse_settings  # noqa: PLC0415  (imports all tables, not needed everywhere)

        with Configurator(settings=parse_settings(settings)) as config:
            config.registry["comicsdb.ini"] = global_config.get("__file__")
            config.include("comicsdb")
            return config.make_wsgi_app()
    finally:
        gc.enable()


def includeme(config):
    """Include all parts of the core, in the order of their dependencies."""
    config.include("comicsdb.config")  # typed settings; a missing one raises an error
    config.include("comicsdb.http.execution_policies")  # policies around every request
    config.include("comicsdb.http.hsts")  # Strict-Transport-Security
    config.include("comicsdb.http.request_checks")  # checks of headers, URL and host
    config.include("comicsdb.mirror")  # no writes or accounts on a mirror
    config.include("comicsdb.http.bodies")  # parsing of forms
    config.include("comicsdb.ops.logs")  # request ids in log lines, error reports
    config.include("comicsdb.ops.sending")  # evaluation of responses, before they leave the application
    config.include("pyramid_retry")  # retries deadlocks and serialization failures
    config.include("pyramid_tm")  # one transaction per request
    config.include("comicsdb.db")  # request.dbsession
    config.include("comicsdb.db.read_pool")  # request.read_pool, for single reads
    config.include("comicsdb.db.replicas")  # replicas, for catalog reads
    config.include("comicsdb.clock")  # request.today, the business day
    config.include("comicsdb.readcache.build_fingerprint")  # the fingerprint of code and settings
    config.include("comicsdb.readcache.regions")  # request.cache
    config.include("comicsdb.readcache.policy")  # cached reads, before transactions and views
    config.include("comicsdb.ratelimit")  # rate limits
    config.include("comicsdb.ratelimit.api")  # rate limits of the API
    config.include("comicsdb.ratelimit.counters")  # usage counts by day
    config.include("comicsdb.security")  # identities and permissions
    config.include("comicsdb.catalog")  # request.catalog, for all writes
    config.include("comicsdb.library.ratings")  # counts due ratings on the first request of a day
    config.include("comicsdb.library.transfer.background")  # imports of large files
    config.include("comicsdb.media")  # pictures and their thumbnails
    config.include("comicsdb.admin.unfinished")  # acts on many objects, completed after their requests
    config.include("comicsdb.mail")  # mails, sent after the commit
    config.include("comicsdb.accounts")  # request.account_context, request.passwords
    config.include("comicsdb.webhooks")  # notifications of changes, sent to programs
    config.include("comicsdb.exchange.downloads")  # dumps, and the description of the site for programs
    config.include("comicsdb.ops.metrics")  # metrics for Prometheus
