"""The addresses that a reader of the API requests: details, lists below them, lists by filter and page."""

from datetime import UTC, datetime, timedelta
from random import Random

from tests.machines.api_cache.bodies import Key, Slot
from tests.machines.api_cache.reader import HOSTS, Address
from tests.machines.api_cache.world import Ids, SeedData
from tests.machines.propagation.world import LISTING, OWNERS

BELOW = {**dict.fromkeys(LISTING, "issue_list"), "publisher": "series_list"}

_NAMED = (
    "",
    "name=ash",
    "name=brine",
    "modified_gt=2025-06-01",
    "modified_gt={begun}",
    "cv_id=1",
    "gcd_id=2",
)
_SERIES = (
    *("publisher_name=ash", "publisher_id={publisher}", "imprint_name=brine", "imprint_id={imprint}"),
    *("creator_id={creator}", "role_id={role},{other_role}", "role_id={role}&role_id={other_role}"),
    *("role_id={other_role}&role_id={role}", "character_id={character}", "team_id={team}"),
    *("universe_id={universe}", "missing_cv_id=true", "missing_gcd_id=0"),
)
QUERIES = {
    "publisher": (*_NAMED, "alt_names=red", "q=ash+red"),
    "imprint": _NAMED,
    "universe": ("", "name=ash", "designation=prime", "modified_gt={begun}"),
    "creator": _NAMED,
    "team": _NAMED,
    "character": _NAMED,
    "arc": (
        *_NAMED,
        *(
            "page=2",
            "page=6",
            "page=last",
            "page=7",
            "name=backdrop",
            "name=backdrop&page=2",
            "page=last&utm=1",
        ),
        *("name=back&name=backdrop", "name=backdrop&name=back", "name=backdrop&page=6", "page=x"),
    ),
    "series": (
        *(*_NAMED, *_SERIES, "page=2", "page=last", "name=back&page=2", "q=ash+blue", "alt_names=red"),
        *(
            "series_type=type",
            "series_type_id={series_type}",
            "status=2",
            "language=it",
            "volume=2",
            "year_began=2021",
        ),
    ),
    "issue": (
        *("", "modified_gt=2025-06-01", "modified_gt={begun}", "cv_id=1", *_SERIES),
        *("page=2", "page=6", "page=last", "series_name=backdrop&page=last", "series_name=backdrop&page=6"),
        *(
            "number=1",
            "alt_number=700",
            "cover_year=2020&page=last",
            "cover_month=2",
            "store_date=2020-02-01",
        ),
        *(
            "series_id={series}",
            "series_name=ash",
            "series_alt_names=red",
            "series_q=brine+red",
            "series_volume=2",
        ),
        *("series_year_began=2021", "rating=ash", "rating=age+one", "sku=a1", "cover_hash=9f1f0f0783c3c1e1"),
        *("store_date_range_after=2020-02-01", "cover_date_range_before=2020-01-15"),
    ),
    "role": ("", "name=ash"),
    "series_type": ("", "name=ash"),
}


def base(random: Random) -> str:
    """Mostly the same host; each host has cache entries of its own."""
    return HOSTS[0] if random.random() < 0.85 else HOSTS[1]


class Addresses:
    """The addresses of one test; objects are (kind, id)."""

    def __init__(self, seed_data: SeedData):
        self.seed_data = seed_data
        begun = (datetime.now(UTC) - timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.lists = [
            (f"/api/{kind}/", query.format(begun=begun, **seed_data.first))
            for kind, queries in QUERIES.items()
            for query in queries
        ]
        self.far = [
            (f"/api/{kind}/{each}/{BELOW[kind]}/", query)
            for kind, each in seed_data.backdrop.items()
            for query in ("", "page=2", "page=6", "page=last", "page=last&utm=1")
        ]

    def objects(self, ids: Ids) -> list[Key]:
        """The objects with pages that writers use."""
        return sorted(each for each in ids.all - self.seed_data.hidden if each[0] in OWNERS)

    def of(self, slot: Slot, random: Random) -> Address:
        """The address of an object, or of the list below it."""
        action, kind, each = slot
        below = f"{BELOW[kind]}/" if action == "below" else ""
        return Address(base(random), f"/api/{kind}/{each}/{below}")

    def slots(self, keys) -> list[Slot]:
        """The slots of objects, and of the lists below them."""
        found = [("detail", *key) for key in sorted(keys)]
        return found + [("below", *key) for key in sorted(keys) if key[0] in BELOW]

    def whole_list(self, kind: str, random: Random) -> Address:
        """The list of a kind without filters."""
        return Address(base(random), f"/api/{kind}/")

    def random_list(self, kind: str, random: Random) -> Address:
        """A list of a kind, possibly with a filter or a page."""
        return Address(
            base(random), *random.choice([each for each in self.lists if each[0] == f"/api/{kind}/"])
        )

    def far_page(self, random: Random) -> Address:
        """A page of a long list below an object."""
        return Address(base(random), *random.choice(self.far))

    def random_first_page(self, random: Random) -> Address:
        """The first page of a random list, from which all others can be reached."""
        lists = [each for each in self.lists + self.far if "page" not in each[1]]
        return Address(base(random), *random.choice(lists))
