"""The rest of the settings that there are: accounts, cache, limits, donations, and what operators watch."""

from comicsdb.config import types as read
from comicsdb.config.declarations import (
    BASIC_DEPRECATED,
    BASIC_PHASE,
    BASIC_SUNSET,
    MAIL,
    MOST,
    PICTURES,
    SITE,
    Setting,
    choice,
    number,
    switch,
)

ACCOUNTS = (
    number(
        "comicsdb.signup.per_address",
        "COMICSDB_SIGNUP_PER_ADDRESS",
        "1",
        (0, 1_000_000),
        "accounts that one address (of IPv6: one /64 network) may make on a day (UTC); `0` for any number",
    ),
    number(
        "comicsdb.signup.fastest",
        "COMICSDB_SIGNUP_FASTEST",
        "2",
        (0, 60),
        "seconds; who sends the form sooner sends it once more, by one click",
    ),
    Setting(
        "comicsdb.signup.question",
        "COMICSDB_SIGNUP_QUESTION",
        "",
        "text",
        "a question that only people answer",
    ),
    Setting("comicsdb.signup.answer", "COMICSDB_SIGNUP_ANSWER", "", "text", "its answer", secret=True),
    Setting(
        "comicsdb.signup.blocked_domains",
        "COMICSDB_SIGNUP_BLOCKED_DOMAINS",
        "",
        "domains",
        "mail domains to refuse besides the list in `comicsdb/accounts/data/`",
        read.words,
    ),
    Setting(
        "comicsdb.signup.mail_check",
        "COMICSDB_SIGNUP_MAIL_CHECK",
        "",
        "address",
        "a service that is asked about other domains, with `{domain}` in it; `block` or `disposable` in its"
        " JSON answer refuses",
        secret=True,
    ),
    choice(
        "comicsdb.signup.mail_check_failure",
        "COMICSDB_SIGNUP_MAIL_CHECK_FAILURE",
        ("refuse", "allow"),
        "what happens if it does not answer within 3 seconds",
    ),
    number(BASIC_PHASE, "COMICSDB_BASIC_PHASE", "0", (0, 3), "the present phase in the end of HTTP Basic"),
    Setting(
        BASIC_DEPRECATED,
        "COMICSDB_BASIC_DEPRECATED",
        "",
        "date",
        "since when HTTP Basic is deprecated; required from phase 1 on",
        read.day,
    ),
    Setting(
        BASIC_SUNSET,
        "COMICSDB_BASIC_SUNSET",
        "",
        "date",
        "when HTTP Basic ends; required from phase 2 on",
        read.day,
    ),
    number(
        "comicsdb.basic_remind_days",
        "COMICSDB_BASIC_REMIND_DAYS",
        "30",
        (1, 365),
        "nobody is reminded twice in so many days",
    ),
)

CACHE = (
    Setting(
        "comicsdb.cache.url",
        "COMICSDB_CACHE_URL",
        "",
        "URL",
        "`redis://:password@host:6379/0`, `rediss://...` (TLS), `unix:///run/redis/redis.sock?db=0`, or"
        " `redis+sentinel://:password@host:26379,host:26379/SERVICE/0`; without it each process has a cache"
        " of its own",
        read.cache_url,
        secret=True,
    ),
    Setting(
        "comicsdb.cache.memory_mb",
        "COMICSDB_CACHE_MEMORY_MB",
        "64",
        "megabytes",
        "what each process may remember, with Redis too; `0` for nothing",
        read.megabytes,
    ),
    Setting(
        "comicsdb.cache.prefix",
        "COMICSDB_CACHE_PREFIX",
        "comicsdb",
        "word",
        "what the keys in Redis begin with; one for each site that shares it",
        read.cache_prefix,
    ),
)

LIMITS = (
    switch("comicsdb_api.throttle", "LIMITS", "on", "whether the API has limits at all"),
    number(
        "comicsdb_api.throttle.burst", "COMICSDB_THROTTLE_BURST", "20", (1, MOST), "requests in any minute"
    ),
    number(
        "comicsdb_api.throttle.sustained",
        "COMICSDB_THROTTLE_SUSTAINED",
        "5000",
        (1, MOST),
        "requests in any 24 hours",
    ),
    Setting(
        "comicsdb_api.throttle.tiers",
        "COMICSDB_THROTTLE_TIERS",
        "friend=7500 backer=10000 sponsor=15000 mega_sponsor=25000",
        "numbers",
        "the same for supporters; superusers have the last",
        read.by_tier,
    ),
    number(
        "comicsdb_api.throttle.basic_burst",
        "COMICSDB_THROTTLE_BASIC_BURST",
        "10",
        (1, MOST),
        "in a minute, by HTTP Basic, from phase 2 of its end on",
    ),
    number(
        "comicsdb_api.throttle.basic_sustained",
        "COMICSDB_THROTTLE_BASIC_SUSTAINED",
        "1000",
        (1, MOST),
        "in 24 hours, likewise",
    ),
    number(
        "comicsdb_api.throttle.share",
        "COMICSDB_THROTTLE_SHARE",
        "75",
        (1, 100),
        "how many percent of its account's limits each token may use, where the account has several, so that"
        " a program gone wild leaves something to the others",
    ),
    switch(
        "comicsdb_api.throttle.free_304_429",
        "COMICSDB_THROTTLE_FREE_304_429",
        "true",
        "whether 304 and 429 cost nothing of the day",
    ),
    number(
        "comicsdb.counters.seconds",
        "COMICSDB_COUNTERS_SECONDS",
        "5",
        (0, 3600),
        "how often a process writes its counts of the day; `0` never",
    ),
)

DONATIONS = (
    Setting(
        "comicsdb.donations.collective",
        "COMICSDB_DONATIONS_COLLECTIVE",
        "",
        "slug",
        "whose contributions, at Open Collective",
    ),
    Setting(
        "comicsdb.donations.token",
        "COMICSDB_DONATIONS_TOKEN",
        "",
        "text",
        "a personal token of an administrator of the collective: others are not told addresses",
        secret=True,
    ),
    Setting(
        "comicsdb.donations.url",
        "COMICSDB_DONATIONS_URL",
        "https://api.opencollective.com/graphql/v2",
        "URL",
        "the platform",
        read.web_address,
    ),
    Setting(
        "comicsdb.donations.tiers",
        "COMICSDB_DONATIONS_TIERS",
        "friend=200 backer=500 sponsor=1000 mega_sponsor=2500",
        "numbers",
        "US cents of a period of 31 days",
        read.by_tier,
    ),
    switch(
        "comicsdb.donations.yearly",
        "COMICSDB_DONATIONS_YEARLY",
        "false",
        "whether a yearly contribution counts for 366 days, with a twelfth of its amount",
    ),
)

WATCHING = (
    choice(
        "comicsdb.log.format",
        "COMICSDB_LOG_FORMAT",
        ("plain", "json"),
        "how lines of the log are written: as the ini file says, or one JSON object each",
    ),
    Setting(
        "comicsdb.metrics.token",
        "COMICSDB_METRICS_TOKEN",
        "",
        "text",
        "what Prometheus sends to read `/metrics/`; without it there is no such address",
        read.token,
        secret=True,
    ),
    Setting(
        "comicsdb.errors.report",
        "COMICSDB_ERRORS_REPORT",
        "",
        "`package.module:function`",
        "is called with each unexpected exception and a dict of where it happened",
        read.function,
    ),
    switch(
        "comicsdb.database.pooled",
        "COMICSDB_DATABASE_POOLED",
        "false",
        "whether a proxy between us and PostgreSQL lends connections for single transactions (PgBouncer,"
        " `pool_mode = transaction`): then nothing is kept in a connection",
    ),
    number(
        "comicsdb.database.statement_timeout",
        "COMICSDB_DATABASE_STATEMENT_TIMEOUT",
        "15",
        (0, 3600),
        "seconds after which PostgreSQL ends a statement of a request, which is then answered 503; 0: never",
    ),
    number(
        "comicsdb.database.lock_timeout",
        "COMICSDB_DATABASE_LOCK_TIMEOUT",
        "5",
        (0, 3600),
        "seconds for which a request waits for a row or lock that another one holds; 0: as long as it takes",
    ),
    number(
        "comicsdb.database.idle_timeout",
        "COMICSDB_DATABASE_IDLE_TIMEOUT",
        "60",
        (0, 3600),
        "seconds for which the transaction of a request may be open without doing anything, before PostgreSQL"
        " ends it; 0: for ever",
    ),
)

SECTIONS: dict[str, tuple[Setting, ...]] = {
    "The site": SITE,
    "Pictures": PICTURES,
    "Mail": MAIL,
    "Accounts": ACCOUNTS,
    "Cache": CACHE,
    "Rate limits": LIMITS,
    "Donations": DONATIONS,
    "Watching": WATCHING,
}
SETTINGS = tuple(setting for section in SECTIONS.values() for setting in section)
