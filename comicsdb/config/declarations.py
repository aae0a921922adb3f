"""The declared settings by topic: key, default, type and meaning.

docs/settings.md is generated from them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from comicsdb.config import types as read
from comicsdb.models.choices import COUNTRIES, LANGUAGES

COUNT_MAX = 1_000_000_000  # upper bound for counts

# The end of HTTP Basic: for each of its dates, the phase from which it is required.
BASIC_PHASE, BASIC_DEPRECATED, BASIC_SUNSET = (
    f"comicsdb.basic_{name}" for name in ("phase", "deprecated", "sunset")
)
MEDIA_BUCKET = "comicsdb.media.bucket"
SMTP_TLS, SMTP_SSL = "mail.tls", "mail.ssl"
DATABASE_URL, SECRET = "sqlalchemy.url", "comicsdb.secret"
REPLICAS = "comicsdb.database.replica_urls"
DEVELOPMENT_SECRET = "not a secret: for development only"  # noqa: S105  (in development.ini)
BASIC_DAYS = {BASIC_DEPRECATED: 1, BASIC_SUNSET: 2}

# Keys whose environment variables begin differently.
VARIABLES = {
    "sqlalchemy.": "COMICSDB_DATABASE_",
    "mail.": "COMICSDB_SMTP_",
    "comicsdb_api.throttle.": "COMICSDB_THROTTLE_",
}


# Settings that are no longer read, with their remedies: they are reported, but do not prevent the start.
REMOVED = {
    "comicsdb.signup.mail_check_failure": "an address that cannot be checked is refused",
    "comicsdb.basic_remind_days": "it is 30 days",
    "comicsdb_api.waiting.client": "it is 4; comicsdb_api.waiting limits all clients together",
    "comicsdb_api.throttle.basic_burst": "it is 10 in a minute",
    "comicsdb_api.throttle.basic_sustained": "it is 1,000 in a day",
    "comicsdb_api.covers.burst": "it is 60 in a minute; a proxy can allow fewer",
    "comicsdb_api.covers.sustained": "it is 20,000 in a day; a proxy can allow fewer",
    "comicsdb.feed.touched_days": "it is 30 days",
    "comicsdb.database.lock_timeout": "it is a third of comicsdb.database.statement_timeout",
    "comicsdb.database.idle_timeout": "it is four times comicsdb.database.statement_timeout",
    "comicsdb.database.replica_lag": "it is 16 megabytes",
}


@dataclass(frozen=True)
class Setting:
    """One setting: its key in the ini file, its default, and its documentation.

    `parse` reads its text; `takes` names the type for people. A setting whose default is None is `required`.
    The value of a `secret` one is never shown.
    """

    key: str
    default: str | None
    takes: str
    meaning: str
    parse: Callable = str
    secret: bool = False

    @property
    def required(self) -> bool:
        """Whether there is no default."""
        return self.default is None

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return variable_of(self.key)


def variable_of(key: str) -> str:
    """The environment variable of a key: the key in capitals, apart from the beginnings in VARIABLES."""
    for beginning, replacement in VARIABLES.items():
        if key.startswith(beginning):
            return (replacement + key.removeprefix(beginning)).upper().replace(".", "_")
    return key.upper().replace(".", "_")


def choice(key: str, choices: tuple[str, ...], meaning: str) -> Setting:
    """A setting with fixed choices, the first of which is the default."""
    takes = " or ".join(f"`{choice}`" for choice in choices)
    return Setting(key, choices[0], takes, meaning, read.one_of(*choices))


def switch(key: str, default: str, meaning: str) -> Setting:
    """A boolean setting."""
    return Setting(key, default, "true or false", meaning, read.boolean)


def number(key: str, default: str, bounds: tuple[int, int], meaning: str) -> Setting:
    """An integer setting within inclusive bounds."""
    return Setting(key, default, f"number from {bounds[0]} to {bounds[1]}", meaning, read.number(*bounds))


SITE = (
    Setting(
        DATABASE_URL,
        None,
        "URL",
        "the database: `postgresql://user:password@host/name`, or `embedded:FOLDER?database=NAME` on a"
        " developer's machine",
        read.database_url,
        secret=True,
    ),
    Setting(
        SECRET,
        None,
        "text",
        "signs cookies and forms; at least 32 random bytes, the same for all servers of the site. The"
        " site does not start with a short or well-known secret, unless the database is embedded",
        secret=True,
    ),
    Setting(
        "comicsdb.base_url",
        "",
        "address",
        "the site's public URL, `https://host`, for mails and canonical links. Required for the site",
        read.base_url,
    ),
    Setting(
        "comicsdb.title",
        "comicsdb",
        "text",
        "the name of the site, in its pages, mails, feeds and the description of the API",
        read.title,
    ),
    Setting(
        "comicsdb.accent",
        "#ffd23f",
        "color",
        "the color of the site's main buttons and marks, light enough for dark text on it",
        read.accent,
    ),
    Setting(
        "comicsdb.hsts",
        "max-age=31536000",
        "header",
        "how long browsers use https only (`Strict-Transport-Security`); `; includeSubDomains` adds all"
        " subdomains, and `; preload` after that also covers the first visit",
        read.hsts,
    ),
    Setting(
        "comicsdb.hosts",
        "",
        "names",
        "hosts that are served in addition to that of `comicsdb.base_url`; others get 421. If"
        " `comicsdb.base_url` is empty or names the local machine, any host is served",
        read.hosts,
    ),
    Setting(
        "comicsdb.timezone", "America/New_York", "time zone", "the time zone of the business day", read.zone
    ),
    Setting(
        "comicsdb.countries",
        "US GB IT",
        "country codes",
        "countries that forms offer for publishers; for prices, they propose the currency of the publisher's"
        " country",
        read.codes(COUNTRIES, "ISO 3166-1 country"),
    ),
    Setting(
        "comicsdb.languages",
        "en it",
        "language codes",
        "languages that forms offer for series",
        read.codes(LANGUAGES, "language"),
    ),
    choice(
        "comicsdb.site_editing",
        ("everybody", "editors"),
        "who may edit on the site: every account, or only those that may edit through the API",
    ),
    Setting(
        "comicsdb.copying.without",
        "",
        "ids",
        "publishers whose issues do not offer to copy credits",
        read.ids,
    ),
    Setting(
        "comicsdb.executives",
        "",
        "ids and roles",
        "standing credits by publisher, such as `7: 12 Editor In Chief, 15 President; 8: 20 Publisher`"
        " (publisher: creator and role, ...); staff add them to issues in the administration",
        read.standing_credits,
    ),
    switch(
        "comicsdb.staff_second_factor",
        "false",
        "whether staff and superusers have their rights only after they have set up two-step log-in",
    ),
    Setting(
        "comicsdb.official_account",
        "Metron",
        "user name",
        "the account that owns the site's own reading lists",
    ),
    number(
        "comicsdb.imports.rows",
        "100000",
        (1, 100_000),
        "maximum number of rows in a file that a reader imports",
    ),
    choice(
        "comicsdb.imports.worker", ("thread", "off"), "whether this server processes imports of large files"
    ),
    number(
        "comicsdb.imports.megabytes",
        "10",
        (1, 19),
        "maximum size of such a file in megabytes, also when unpacked from a ZIP file; request bodies"
        " are limited to 20 MB",
    ),
    choice("comicsdb.password_cost", ("default", "fast"), "cost of password hashes; `fast` is for tests"),
    switch(
        "comicsdb.secure_cookies",
        "true",
        "whether cookies are sent over https only; turn it off only on a developer's machine",
    ),
    Setting(
        "comicsdb.trusted_proxies",
        "",
        "addresses, networks",
        "proxies whose `X-Real-IP` is the client's address in logs, limits and sessions, and whose"
        " `X-Request-ID` names the request in logs; others are not trusted",
        read.networks,
    ),
    Setting(
        "comicsdb.licence",
        "CC BY-SA 4.0 https://creativecommons.org/licenses/by-sa/4.0/",
        "name and URL, or `none`",
        "the licence of the catalog; shown on the site and in the description of the API",
        read.licence,
    ),
    Setting(
        "comicsdb_web.media_origin",
        "",
        "address",
        "the origin of pictures, if it is neither the site nor `comicsdb.media.url`; allowed by the"
        " content policy",
        read.origin_of_pictures,
    ),
    Setting(
        "comicsdb_web.logo",
        "",
        "file",
        "the site's mark in place of ours: an SVG, or a square PNG of at least 192 pixels",
        read.logo,
    ),
    Setting(
        "comicsdb_web.contact",
        "",
        "mail address",
        "the contact address; shown on the site",
        read.mail_address,
    ),
    Setting(
        "comicsdb_web.security_contact",
        "",
        "mail address",
        "where to report security issues, if not to `comicsdb_web.contact`; named in"
        " `/.well-known/security.txt`",
        read.mail_address,
    ),
    Setting(
        "comicsdb_web.code",
        "",
        "URL",
        "the source code and its issue tracker; linked from the site",
        read.url_prefix,
    ),
    Setting("comicsdb_web.blog", "", "URL", "the blog; linked from the menu", read.url_prefix),
    Setting(
        "comicsdb_web.social",
        "",
        "names and URLs",
        "other presences of the site, such as `Mastodon https://...; Forum https://...`; linked from"
        " its header",
        read.links,
    ),
)

PICTURES = (
    choice("comicsdb.media.storage", ("folder", "s3"), "where pictures are stored"),
    Setting("comicsdb.media.folder", "var/media", "folder", "the folder of pictures and thumbnails", Path),
    Setting(MEDIA_BUCKET, "", "name", "the existing bucket in object storage. Required for `s3`"),
    Setting("comicsdb.media.prefix", "media", "path", "the prefix of names in the bucket", read.prefix),
    Setting(
        "comicsdb.media.endpoint",
        "",
        "address",
        "`https://host:port` of a server other than Amazon's",
        read.base_url,
    ),
    Setting(
        "comicsdb.media.region",
        "",
        "name",
        "the region, such as `eu-central-1`; `garage` or `auto` elsewhere; by default what boto3 finds",
    ),
    Setting(
        "comicsdb.media.access_key", "", "text", "the access key; by default what boto3 finds", secret=True
    ),
    Setting(
        "comicsdb.media.secret_key",
        "",
        "text",
        "the secret of the access key; preferably set in the environment",
        secret=True,
    ),
    Setting(
        "comicsdb.media.url",
        "",
        "address",
        "the public URL of pictures, if it is not the site's: a content delivery network for the"
        " bucket, `https://cdn.example.org/media`",
        read.url_prefix,
    ),
)

DUMPS = (
    Setting(
        "comicsdb.dumps.folder",
        "",
        "folder",
        "where `comicsdb dump` writes dumps and the site offers them; without it, there are none",
        read.folder,
    ),
    number("comicsdb.dumps.days", "14", (1, 3650), "how many days dumps are kept"),
    switch("comicsdb.dumps.covers", "false", "whether dumps include a pack of thumbnails of all covers"),
    Setting(
        "comicsdb.dumps.key",
        "var/dumps.key",
        "file",
        "the secret key that signs dumps, in the format of minisign; created on first use",
        Path,
    ),
)

MAIL = (
    Setting(
        "comicsdb.mail.from", "comicsdb <noreply@localhost>", "`Name <address>`", "the sender", read.sender
    ),
    choice(
        "comicsdb.mail.sender",
        ("thread", "command"),
        "what sends mails: each server process, or `comicsdb mail send`",
    ),
    Setting(
        "comicsdb.mail.folder",
        "",
        "folder",
        "for development: mails are written to this folder instead of being sent, and their links are"
        " printed",
        read.folder,
    ),
    Setting(
        "comicsdb.mail.administrators",
        "",
        "addresses",
        "the recipients of mails for administrators",
        read.mailboxes,
    ),
    Setting(
        "comicsdb.mail.tell",
        "",
        "words",
        "additional notices to administrators: any of `signup`, `activation` and `blocked` (the first"
        " sign-up of a day that exceeds the limit)",
        read.some_of("signup", "activation", "blocked"),
    ),
    Setting("mail.host", "localhost", "host", "the SMTP server"),
    number("mail.port", "25", (1, 65535), "the port of the SMTP server"),
    Setting("mail.username", "", "text", "the user name for the SMTP server"),
    Setting("mail.password", "", "text", "the password for the SMTP server", secret=True),
    switch(SMTP_TLS, "false", "whether to encrypt after STARTTLS; the server's certificate is checked"),
    switch(SMTP_SSL, "false", "whether to encrypt from the start; the server's certificate is checked"),
)


ACCOUNTS = (
    number(
        "comicsdb.signup.per_address",
        "1",
        (0, 1_000_000),
        "accounts that one address (for IPv6, one /64 network) may create per day (UTC); `0` for no limit",
    ),
    number(
        "comicsdb.signup.fastest",
        "2",
        (0, 60),
        "seconds; a sign-up form that is sent sooner must be confirmed by one click",
    ),
    Setting("comicsdb.signup.question", "", "text", "a question in the sign-up form that bots cannot answer"),
    Setting("comicsdb.signup.answer", "", "text", "the answer to that question", secret=True),
    Setting(
        "comicsdb.signup.blocked_domains",
        "",
        "domains",
        "mail domains to refuse in addition to the list in `comicsdb/accounts/data/`",
        read.words,
    ),
    Setting(
        "comicsdb.signup.mail_check",
        "",
        "address",
        "the URL of a service that checks other domains, containing `{domain}`; a domain is refused if"
        " `block` or `disposable` is true in the JSON response, or without one within 3 seconds",
        read.domain_check,
        secret=True,
    ),
    number(BASIC_PHASE, "0", (0, 3), "the current phase of the end of HTTP Basic"),
    Setting(
        BASIC_DEPRECATED, "", "date", "since when HTTP Basic is deprecated; required from phase 1", read.day
    ),
    Setting(BASIC_SUNSET, "", "date", "when HTTP Basic ends; required from phase 2", read.day),
)

CACHE = (
    Setting(
        "comicsdb.cache.url",
        "",
        "URL",
        "`redis://:password@host:6379/0`, `rediss://...` (TLS) or `unix:///run/redis/redis.sock?db=0`;"
        " without it, each process has its own cache",
        read.cache_url,
        secret=True,
    ),
    Setting(
        "comicsdb.cache.memory_mb",
        "32",
        "megabytes",
        "memory for the cache of each process, used with Redis as well; `0` for none",
        read.megabytes,
    ),
    Setting(
        "comicsdb.cache.prefix",
        "comicsdb",
        "word",
        "the prefix of keys in Redis; it must differ between sites that share a Redis",
        read.cache_prefix,
    ),
)

LIMITS = (
    switch("comicsdb_api.throttle", "on", "whether the API has limits at all"),
    number(
        "comicsdb_api.waiting",
        "40",
        (0, 1000),
        "requests per process that may wait for the next change (`Prefer: wait`, event streams), each"
        " of which occupies a thread of the server (its option `streams`); beyond that, the oldest of the"
        " client with most of them gives way",
    ),
    number(
        "comicsdb_api.stream_seconds",
        "300",
        (1, 3600),
        "how long an event stream of the change feed lasts; clients then reconnect by themselves",
    ),
    number(
        "comicsdb_api.throttle.burst",
        "60",
        (1, COUNT_MAX),
        "requests in any minute; clients of Metron expect at least 20, also for each of several tokens"
        " (`comicsdb_api.throttle.share`)",
    ),
    number("comicsdb_api.throttle.sustained", "5000", (1, COUNT_MAX), "requests in any 24 hours"),
    Setting(
        "comicsdb_api.throttle.tiers",
        "friend=7500 backer=10000 sponsor=15000 mega_sponsor=25000",
        "numbers",
        "requests in any 24 hours for supporters; superusers have the highest limit",
        read.by_tier,
    ),
    switch(
        "comicsdb_api.anonymous",
        "on",
        "whether the public catalog can be read through the API without an account",
    ),
    number(
        "comicsdb_api.throttle.anonymous_burst",
        "20",
        (1, COUNT_MAX),
        "requests without an account from one address (for IPv6, one /64 network) in any minute",
    ),
    number(
        "comicsdb_api.throttle.anonymous_sustained",
        "500",
        (1, COUNT_MAX),
        "requests without an account from one address (for IPv6, one /64 network) in any 24 hours",
    ),
    number(
        "comicsdb_api.throttle.share",
        "75",
        (1, 100),
        "the percentage of the account's limits that each token may use, if the account has several, so"
        " that one client cannot use up the limits of the others",
    ),
    switch(
        "comicsdb_api.throttle.free_304_429",
        "true",
        "whether 304 and 429 responses are excluded from the daily limit",
    ),
    number(
        "comicsdb.counters.seconds",
        "5",
        (0, 3600),
        "how often a process stores its daily counts; `0` for never",
    ),
    switch(
        "comicsdb.notices.enforce",
        "false",
        "whether `comicsdb throttle-notices` restricts accounts that keep sending requests after 429 although"
        " they had two mails",
    ),
)

DONATIONS = (
    Setting("comicsdb.donations.collective", "", "slug", "the collective at Open Collective"),
    Setting(
        "comicsdb.donations.token",
        "",
        "text",
        "a personal token of an administrator of the collective, required to see addresses",
        secret=True,
    ),
    Setting(
        "comicsdb.donations.url",
        "https://api.opencollective.com/graphql/v2",
        "URL",
        "the URL of the platform's API",
        read.web_address,
    ),
    Setting(
        "comicsdb.donations.tiers",
        "friend=200 backer=500 sponsor=1000 mega_sponsor=2500",
        "numbers",
        "minimum contribution in US cents within 31 days",
        read.by_tier,
    ),
    switch(
        "comicsdb.donations.yearly",
        "false",
        "whether a yearly contribution counts for 366 days, with a twelfth of its amount",
    ),
)

WEBHOOKS = (
    number("comicsdb.webhooks.most", "5", (0, 1000), "how many webhooks one account may have; `0` for none"),
    choice(
        "comicsdb.webhooks.sender",
        ("thread", "off"),
        "whether each server process sends messages that are due; one process of a site is enough",
    ),
    Setting(
        "comicsdb.webhooks.networks",
        "",
        "addresses, networks",
        "private networks that webhooks may reach, also over `http:` and on any port; without it, only"
        " public addresses over `https:` on ports 443 and 8443",
        read.networks,
    ),
)

MIRRORS = (
    Setting(
        "comicsdb.mirror.origin",
        "",
        "address",
        "the site that this one mirrors, read-only; `comicsdb mirror` sets it. Empty if this is not a mirror",
        read.base_url,
    ),
    number(
        "comicsdb.mirror.covers",
        "2000",
        (0, COUNT_MAX),
        "megabytes of covers and thumbnails that a mirror keeps; the least recently shown are removed first",
    ),
)

OPERATIONS = (
    number(
        "comicsdb.feed.days",
        "0",
        (0, 36500),
        "days after which `comicsdb account clean` removes entries of the change feed; 0 keeps them for ever",
    ),
    choice(
        "comicsdb.acts.worker",
        ("thread", "command"),
        "what runs merges, deletions and changes of very many objects: each server process, or"
        " `comicsdb finish`",
    ),
    choice(
        "comicsdb.log.format",
        ("plain", "json"),
        "the format of log lines: as in the ini file, or one JSON object per line",
    ),
    Setting(
        "comicsdb.metrics.token",
        "",
        "text",
        "the bearer token with which Prometheus reads `/metrics/`; without it, there is no such page",
        read.token,
        secret=True,
    ),
    Setting(
        "comicsdb.errors.report",
        "",
        "`package.module:function`",
        "a function that is called with each unexpected exception and a dict about its context",
        read.function,
    ),
)

DATABASE = (
    switch(
        "comicsdb.database.pooled",
        "false",
        "whether a pooler between site and PostgreSQL assigns connections to single transactions (PgBouncer,"
        " `pool_mode = transaction`): then no state is kept in connections",
    ),
    number(
        "comicsdb.database.statement_timeout",
        "15",
        (0, 3600),
        "seconds after which PostgreSQL cancels a statement of a request, which then gets 503; 0 for never. A"
        " request waits a third of that for a lock, and its transaction may be idle four times as long",
    ),
    Setting(
        REPLICAS,
        "",
        "addresses, separated by spaces",
        "streaming replicas of the database, reached without a pooler, which serve uncached catalog"
        " reads of visitors and the API",
        read.replicas,
        secret=True,
    ),
)

SECTIONS: dict[str, tuple[Setting, ...]] = {
    "The site": SITE,
    "Pictures": PICTURES,
    "Dumps": DUMPS,
    "Mail": MAIL,
    "Accounts": ACCOUNTS,
    "Cache": CACHE,
    "Rate limits": LIMITS,
    "Donations": DONATIONS,
    "Webhooks": WEBHOOKS,
    "Mirrors": MIRRORS,
    "Operations": OPERATIONS,
    "Database": DATABASE,
}
SETTINGS = tuple(setting for section in SECTIONS.values() for setting in section)
