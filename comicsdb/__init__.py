"""comicsdb, the core: what the catalogue is and what may be done with it."""

import gc


def main(global_config, **settings):  # noqa: ARG001  (the Paste protocol passes it)
    """The WSGI application; the surfaces come in by the setting `pyramid.includes`."""
    gc.disable()  # nearly all that a start makes stays: looking for what does not takes a quarter of it
    try:
        from pyramid.config import Configurator  # noqa: PLC0415  (decoders of pictures do without)

        from comicsdb.config import resolve  # noqa: PLC0415  (brings all tables, not needed everywhere)

        with Configurator(settings=resolve(settings)) as config:
            config.include("comicsdb")
            return config.make_wsgi_app()
    finally:
        gc.enable()


def includeme(config):
    """What every surface stands on, in the order in which one part needs another."""
    config.include("comicsdb.config")  # typed settings; a missing one stops the start
    config.include("comicsdb.http.execution_policies")  # what lies around every request
    config.include("comicsdb.http.hsts")  # browsers are told to come by https only
    config.include("comicsdb.http.request_checks")  # what every request is checked for first
    config.include("comicsdb.http.bodies")  # how forms are read
    config.include("comicsdb.ops.logs")  # whose request a line of the log tells of
    config.include("pyramid_retry")  # deadlocks and serialization failures are tried again
    config.include("pyramid_tm")  # a transaction per request, committed unless the answer is an error
    config.include("comicsdb.db")  # request.dbsession
    config.include("comicsdb.db.read_pool")  # request.read_pool, for reads of one statement
    config.include("comicsdb.clock")  # request.today, the business day
    config.include("comicsdb.readcache.build_fingerprint")  # which code this is
    config.include("comicsdb.readcache.regions")  # request.cache, of what the API answered
    config.include("comicsdb.readcache.policy")  # cached reads, before transactions and views
    config.include("comicsdb.ratelimit")  # how often somebody may do something
    config.include("comicsdb.ratelimit.api")  # how often somebody may ask the API
    config.include("comicsdb.ratelimit.counters")  # how often it was done, by day
    config.include("comicsdb.security")  # who asks, and what they may do
    config.include("comicsdb.catalog")  # request.catalog, the one door for writes
    config.include("comicsdb.library.new_day")  # what begins with a new day
    config.include("comicsdb.media")  # pictures and their thumbnails
    config.include("comicsdb.mail")  # letters, sent after the commit
    config.include("comicsdb.accounts")  # request.account_context: sign-up, log-in, tokens and so on
    config.include("comicsdb.ops.metrics")  # figures of all that, for Prometheus
