"""Words with special meanings in names of comic files, in lower case and without accents."""

from comicsdb.models.choices import SeriesTypeCode

# Formats by their words. In addition to the codes of series types, there are some that only issues have.
SPECIAL, DIGEST, FREE, PREVIEW, MAGAZINE, TREASURY = (
    "special",
    "digest",
    "fcbd",
    "preview",
    "magazine",
    "treasury",
)
# These words only stand for the format, and are not part of a series' name.
FORMATS = {
    "tpb": SeriesTypeCode.TRADE_PAPERBACK,
    "tp": SeriesTypeCode.TRADE_PAPERBACK,
    "trade paperback": SeriesTypeCode.TRADE_PAPERBACK,
    "trade": SeriesTypeCode.TRADE_PAPERBACK,
    "softcover": SeriesTypeCode.TRADE_PAPERBACK,
    "brossurato": SeriesTypeCode.TRADE_PAPERBACK,
    "hc": SeriesTypeCode.HARDCOVER,
    "ohc": SeriesTypeCode.HARDCOVER,
    "hardcover": SeriesTypeCode.HARDCOVER,
    "hard cover": SeriesTypeCode.HARDCOVER,
    "hardback": SeriesTypeCode.HARDCOVER,
    "cartonato": SeriesTypeCode.HARDCOVER,
    "ogn": SeriesTypeCode.GRAPHIC_NOVEL,
    "gn": SeriesTypeCode.GRAPHIC_NOVEL,
    "graphic novel": SeriesTypeCode.GRAPHIC_NOVEL,
    "original graphic novel": SeriesTypeCode.GRAPHIC_NOVEL,
    "one-shot": SeriesTypeCode.ONE_SHOT,
    "one shot": SeriesTypeCode.ONE_SHOT,
    "oneshot": SeriesTypeCode.ONE_SHOT,
    "os": SeriesTypeCode.ONE_SHOT,
    "mini-series": SeriesTypeCode.LIMITED_SERIES,
    "mini series": SeriesTypeCode.LIMITED_SERIES,
    "miniseries": SeriesTypeCode.LIMITED_SERIES,
    "limited series": SeriesTypeCode.LIMITED_SERIES,
    "digital chapter": SeriesTypeCode.DIGITAL_CHAPTER,
    "single issue": SeriesTypeCode.SINGLE_ISSUE,
}
# These are formats only in capitals or in brackets.
SHORT_FORMATS = frozenset("tp os gn hc trade".split())
# These words are part of a series' name.
NAMED_FORMATS = {
    "annual": SeriesTypeCode.ANNUAL,
    "annuals": SeriesTypeCode.ANNUAL,
    "annuale": SeriesTypeCode.ANNUAL,
    "omnibus": SeriesTypeCode.OMNIBUS,
    "omni": SeriesTypeCode.OMNIBUS,
    "special": SPECIAL,
    "specials": SPECIAL,
    "speciale": SPECIAL,
    "digest": DIGEST,
    "fcbd": FREE,
    "free comic book day": FREE,
    "preview": PREVIEW,
    "ashcan": PREVIEW,
    "sampler": PREVIEW,
    "magazine": MAGAZINE,
    "treasury": TREASURY,
    "treasury edition": TREASURY,
}

# Words for how a file was made, not about the comic; everything after such a word is noise, too.
NOISE = frozenset(
    (
        "c2c ctc cover2cover covertocover digital digitalrip digitalhd webrip web-rip webdl web-dl noads "
        "no-ads noad hq lq uhd scan scans scanned scanner scanlation scanlated rescan rip ripped repack "
        "repacked comixology cmx hoopla zone-empire minutemen dcp cbr cbz upscaled upscale remastered hybrid "
        "cover-only coverless nodigital getcomics"
    ).split()
)
# These occur in titles as well, so they are noise only at the end.
WEAK_NOISE = frozenset(
    "fixed fix hd web digi empire proper retail kindle restored cleaned raw complete incomplete "
    "pdf epub".split()
)

EDITIONS = frozenset(
    "edition edizione printing ristampa reprint facsimile deluxe cut auflage ausgabe".split()
)

# Words that precede a number, by the meaning of the number.
NUMBER, CHAPTER, VOLUME, TOME, PART = "number", "chapter", "volume", "tome", "part"
MARKS = {
    word: kind
    for kind, kind_words in {
        NUMBER: "# № n no nr nro num numero issue iss heft nummer prog fascicolo albo uscita",
        CHAPTER: "c ch chap chapter chp cap capitolo capitulo chapitre kapitel ep episode episodio",
        VOLUME: "v vol volume volumen",
        TOME: "t tome tomo tom bd band deel album libro",
        PART: "book bk part pt parte partie teil",
    }.items()
    for word in kind_words.split()
}
# Followed by a space, these may as well mean something else.
SHORT_MARKS = frozenset("c t v".split())

OF = frozenset("of di de von sur van av".split())
NUMERALS = {
    word: value
    for words in (
        "zero one two three four five six seven eight nine ten eleven twelve",
        "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici",
        "zero i ii iii iv v vi vii viii ix x xi xii",
    )
    for value, word in enumerate(words.split())
}

NO_MONTHS = frozenset(
    "spring summer fall autumn winter holiday primavera estate autunno inverno circa ca c".split()
)

# Words that precede a number which is part of the title.
SEASONS = frozenset("season stagione saison staffel temporada phase".split())
# Words that follow a number which does not count issues.
COUNTED = frozenset("cover covers page pages pp pgs issues variants".split())
PAGES = frozenset("p pp pg pgs page pages pag pagg pagine seiten paginas".split())

# Language codes of the catalog, by the words for them in names.
LANGUAGES = {
    word: code
    for code, words in {
        "en": "en eng english inglese anglais",
        "it": "it ita italian italiano",
        "fr": "fr fra fre french francais",
        "de": "de ger deu german deutsch",
        "es": "es esp spa spanish espanol castellano",
        "pt": "pt por portuguese portugues",
        "pt-br": "pt-br ptbr brazilian",
        "ja": "ja jp jpn jap japanese giapponese 日本語",
        "nl": "nl dut nld dutch nederlands",
        "sv": "swe swedish svenska",
        "da": "dan danish dansk",
        "nb": "nor norwegian norsk",
        "fi": "fin finnish suomi",
        "pl": "pol polish polski",
        "cs": "cze ces czech",
        "hu": "hun hungarian magyar",
        "ru": "rus russian русский",
        "el": "gre greek",
        "tr": "tur turkish turkce",
        "ko": "kor korean 한국어",
        "zh-hans": "chi chinese 中文",
        "id": "ind indonesian",
        "ca": "cat catalan catala",
    }.items()
    for word in words.split()
}

# These are languages even without brackets, in capitals.
BARE_LANGUAGES = frozenset("ita eng fra fre ger deu esp spa jpn jap".split())

# Publishers that names have in brackets and folders, by folded name, without the words in SECONDARY.
PUBLISHERS = {
    name.casefold(): name
    for name in (
        "Marvel|DC|Image|Dark Horse|IDW|Boom! Studios|BOOM!|Boom|Dynamite|Valiant|Vertigo|"
        "Wildstorm|Top Cow|Oni Press|"
        "Oni|Archie|Titan|Rebellion|Fantagraphics|Drawn & Quarterly|AfterShock|Vault|AWA|Mad Cave|"
        "Ablaze|Zenescope|Avatar|"
        "Avatar Press|Antarctic Press|Aspen|Devil's Due|Humanoids|Gold Key|Dell|Charlton|EC|"
        "Fawcett|Harvey|Eclipse|First|"
        "Malibu|Crossgen|Chaos!|Now|Comico|Dark Circle|Skybound|Icon|Black Mask|Scout|Lion Forge|"
        "Action Lab|Bongo|"
        "Disney|Walt Disney|Gladstone|Viz|Viz Media|Kodansha|Shueisha|Shogakukan|Square Enix|Yen "
        "Press|Seven Seas|Tokyopop|"
        "Vertical|Panini|Planet Manga|Star|J-Pop|Bonelli|Sergio Bonelli|SBE|Astorina|Corno|"
        "Mondadori|BAO|"
        "saldaPress|Cosmo|RW Lion|Play Press|Magic Press|Lion|Dargaud|Glénat|Delcourt|Soleil|"
        "Dupuis|Casterman|"
        "Le Lombard|Lombard|Albert René|Carlsen|Egmont|Ehapa|Splitter|Cross Cult|Norma|ECC|Salvat|"
        "Planeta|Fleetway|"
        "D.C. Thomson|Marvel UK|Marvel Knights|Epic|Atlas|Timely|Quality|Milestone|Black Label|"
        "Papercutz|Scholastic"
    ).split("|")
}
SECONDARY = frozenset(
    "comics comic publishing entertainment editore editoriale edizioni editions productions press".split()
)

# Suffixes of numbers, with or without a dot before them.
SUFFIXES = "MU|NOW|INH|HU|BEY|LR|AU|UC|IO|GW|DEATHS"

MILLION = "1000000"  # a number that many series have, in a month of their own

# Folders whose names say nothing about their contents.
GENERIC_FOLDERS = frozenset(
    (
        "comics comic books manga fumetti bd library downloads download media mnt home users data "
        "share volumes documents "
        "desktop new unsorted sorted incoming tmp temp files torrents ebooks nas srv var opt "
        "annuals specials tpbs tpb "
        "issues singles weekly english italian bandes dessinees ongoing complete completed collections"
    ).split()
)
ARTICLES = frozenset("the a an il lo la gli le i l' les der die das el los las".split())

# The sources of external ids, by their spellings in names.
SOURCES = {
    "cvid": "comicvine",
    "cv": "comicvine",
    "comicvine": "comicvine",
    "cvdb": "comicvine",
    "cvi": "comicvine",
    "metron": "metron",
    "metronid": "metron",
    "gcd": "gcd",
    "gcdid": "gcd",
    "locg": "locg",
    "anilist": "anilist",
    "mangaupdates": "mangaupdates",
    "bedetheque": "bedetheque",
    "wikidata": "wikidata",
    "asin": "asin",
    "mal": "myanimelist",
    "mangadex": "mangadex",
}
CV_ISSUE = "4000"  # the type of issues in Comic Vine's ids
