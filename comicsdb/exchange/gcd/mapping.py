"""Maps rows of a dump to objects of the catalog; ambiguous values go into the report.

`Mapper.records` returns the objects of a piece, each after those that it refers to, with ids of the catalog
in their fields. The fields are those of `catalog.kinds`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from comicsdb.exchange.gcd import credit_roles, reading, values
from comicsdb.exchange.gcd.dump import Dump
from comicsdb.exchange.gcd.plan import Choices, PlannedSeries
from comicsdb.exchange.gcd.reading import IssueRow, PieceRows
from comicsdb.exchange.gcd.report import Review
from comicsdb.exchange.gcd.stored_catalog import StoredCatalog
from comicsdb.issue_numbers import number_key
from comicsdb.models.choices import COLLECTED_CODES, Precision, SeriesTypeCode, Status
from comicsdb.models.currencies import Currency
from comicsdb.values import PartialDay

NAME_LENGTH, ALIAS_LENGTH = 255, 100
SHARE_OF_IMPRINT, SHARE_OF_GENRE = 0.8, 0.25
# The publishers of multiverses by the multiverse's name at GCD, where it is unambiguous.
PUBLISHERS_OF_MULTIVERSES = {"DC": "DC", "Marvel": "Marvel"}


@dataclass(slots=True)
class Record:
    """An object of a dump: its id in the catalog, and the values of those fields that GCD has.

    `matched`: it was in the catalog before, without its GCD id, which is the only field it gets.
    """

    kind: str
    gcd_id: int
    object_id: int
    found: bool
    fields: dict
    matched: bool = False


class Mapper:
    """Maps the pieces of one import; creators, characters and other shared objects are mapped only once."""

    def __init__(
        self, dump: Dump, choices: Choices, review: Review, catalog: StoredCatalog, *, dry_run: bool = False
    ):
        self.dump = dump
        self.choices = choices
        self.review = review
        self.catalog = catalog
        self.dry_run = dry_run
        self._mapped: dict[str, set[int]] = defaultdict(set)
        self._ids: dict[str, dict[int, int]] = defaultdict(dict)
        # The objects that were here without a GCD id, and the ids of the rows that are the same.
        self._claimed: dict[str, dict[int, int]] = defaultdict(dict)
        self._records: list[Record] = []
        self._universes = catalog.universes()
        self._next = 0  # the next id of a dry run

    def records(self, planned: list[PlannedSeries], rows: PieceRows) -> list[Record]:
        """The objects of a piece."""
        if not self.dry_run:  # a dry run stores no objects, so it keeps the ids
            self._ids = defaultdict(dict)
        self._records = []
        imprints = self._imprints_of(rows)
        self._publishers(rows)
        self._imprints(set(imprints.values()))
        people = reading.characters(self.dump, self._not_mapped_in("character", rows.characters))
        teams = reading.teams(
            self.dump,
            self._not_mapped_in("team", rows.teams)
            | self._not_mapped("team", (team for each in people for team in each.details[1])),
        )
        self._map_universes(rows, [each.details[0] for each in (*people, *teams)])
        self._creators(rows)
        self._teams(teams)
        self._characters(people)
        self._arcs(rows)
        self._series({each.id: each for each in planned}, rows, imprints)
        self._issues(rows)
        return self._records

    # Ids and objects of earlier pieces.

    def _not_mapped_in(self, kind: str, by_issue: dict[int, set]) -> set[int]:
        """The ids of a kind in these issues that have not been mapped yet."""
        return self._not_mapped(kind, (each for found in by_issue.values() for each in found))

    def _not_mapped(self, kind: str, ids: Iterable) -> set[int]:
        wanted = {each for each in ids if each is not None}
        done = wanted & self._mapped[kind]
        if done and not self.dry_run:
            self._ids[kind] |= self.catalog.find(kind, done)
        return wanted - done

    def _add(self, kind: str, found: list[tuple[int, dict]], match=None) -> list[Record]:
        """Add objects of a kind; `match` returns the id of the same object if it has no GCD id yet.

        It gets the id at GCD and the fields, to which their `gcd_id` is added here.
        """
        ids = [gcd_id for gcd_id, _ in found]
        merged = self.catalog.survivors(kind, ids)
        known = merged | self.catalog.own(kind, ids)
        deleted = self.catalog.deleted(kind) - known.keys()
        added, new = [], []
        for gcd_id, fields in found:
            self._mapped[kind].add(gcd_id)
            fields["gcd_id"] = gcd_id
            if gcd_id in deleted:
                self.review.add("deleted-here", kind, gcd_id, self._label(fields))
                continue
            if gcd_id in merged:  # into an object that has its own values
                self._ids[kind][gcd_id] = known[gcd_id]
                continue
            record = Record(kind, gcd_id, known.get(gcd_id, 0), gcd_id in known, fields)
            if not record.found and match and (same := match(gcd_id, fields)):
                record.object_id, record.found, record.matched = same, True, True
            if not record.found:
                new.append(record)
            added.append(record)
        for record, object_id in zip(new, self._new_ids(kind, len(new)), strict=True):
            record.object_id = object_id
        self._ids[kind] |= {record.gcd_id: record.object_id for record in added}
        self._records += added
        return added

    def _same(self, kind: str, gcd_id: int, **columns) -> int | None:
        """The only object without a GCD id that has these values, unless another row of the dump got it."""
        same = None if gcd_id in self.catalog.deleted(kind) else self.catalog.find_only(kind, **columns)
        if same is None or self._claimed[kind].setdefault(same, gcd_id) != gcd_id:
            return None
        return same

    def _new_ids(self, kind: str, number: int) -> list[int]:
        if not number:
            return []
        if self.dry_run:
            self._next += number
            return list(range(-self._next, -self._next + number))
        return self.catalog.take_ids(kind, number)

    @staticmethod
    def _label(fields: dict) -> str:
        name = fields.get("name")
        return name if isinstance(name, str) else fields.get("number", "")

    def _known(self, kind: str, ids: Iterable) -> list[int]:
        """The ids in the catalog of those objects that are, or will be, in it; sorted."""
        known = self._ids[kind]
        return sorted({known[each] for each in ids if each in known})

    # Publishers, imprints, universes.

    def _publishers(self, rows: PieceRows) -> None:
        wanted = self._not_mapped("publisher", (series.publisher_id for series in rows.series))
        self._add_publishers(wanted)

    def _add_publishers(self, wanted: set[int]) -> None:
        found = []
        for gcd_id, name, year, uncertain, notes, code in reading.publishers(self.dump, wanted):
            country, rule = values.country(code)
            if rule:
                self.review.add(rule, "publisher", gcd_id, name, "country", there=code)
            fields = {
                "name": values.line(name)[:NAME_LENGTH],
                "founded": values.certain_year(year, uncertain=bool(uncertain)),
                "country": country,
                "desc": values.notes(notes),
            }
            found.append((gcd_id, fields))
        self._add(
            "publisher", found, lambda gcd_id, fields: self._same("publisher", gcd_id, name=fields["name"])
        )

    def _imprints_of(self, rows: PieceRows) -> dict[int, int]:
        """The brand group of each series, if it is on nearly all of the issues."""
        issues, brands = Counter(), defaultdict(Counter)
        for issue in rows.issues:
            issues[issue.series_id] += 1
            brands[issue.series_id].update(rows.brands.get(issue.id, ()))
        groups = {
            row[0]: row
            for row in reading.brand_groups(self.dump, {each for found in brands.values() for each in found})
        }
        chosen = {}
        for series in rows.series:
            often = [
                group
                for group, number in brands[series.id].items()
                if group in groups and number >= SHARE_OF_IMPRINT * issues[series.id]
            ]
            own = [group for group in often if groups[group][2] == series.publisher_id]
            named = [group for group in own if not self._is_publisher(groups[group], series)]
            if len(named) == 1:
                chosen[series.id] = named[0]
            elif len(named) > 1 or (often and not own) or (brands[series.id] and not often):
                names = "; ".join(sorted(groups[each][1] for each in brands[series.id] if each in groups))
                self.review.add("imprint", "series", series.id, series.name, "imprint", "", names)
        return chosen

    def _is_publisher(self, group: tuple, series) -> bool:
        """Whether a brand group has the name of the publisher itself."""
        [publisher] = reading.publishers(self.dump, [series.publisher_id]) or [None]
        return publisher is not None and group[1].casefold().strip() == publisher[1].casefold().strip()

    def _imprints(self, wanted: set[int]) -> None:
        found = []
        for gcd_id, name, publisher, year, uncertain in reading.brand_groups(
            self.dump, self._not_mapped("imprint", wanted)
        ):
            fields = {
                "name": values.line(name)[:NAME_LENGTH],
                "founded": values.certain_year(year, uncertain=bool(uncertain)),
                "publisher": self._publisher(publisher),
            }
            if fields["publisher"]:
                found.append((gcd_id, fields))
        self._add(
            "imprint",
            found,
            lambda gcd_id, fields: self._same(
                "imprint", gcd_id, name=fields["name"], publisher_id=fields["publisher"]
            ),
        )

    def _publisher(self, gcd_id: int) -> int | None:
        """The id of a publisher of GCD, which is added if no series of the piece has it."""
        if gcd_id not in self._ids["publisher"]:
            self._add_publishers(self._not_mapped("publisher", [gcd_id]))
        return self._ids["publisher"].get(gcd_id)

    def _map_universes(self, rows: PieceRows, more: Iterable[int | None]) -> None:
        wanted = self._not_mapped_in("universe", rows.universes) | self._not_mapped("universe", more)
        found = []
        listed = reading.universes(self.dump, wanted)
        present = self.catalog.find("universe", wanted)
        names = {PUBLISHERS_OF_MULTIVERSES[row[3]] for row in listed if row[3] in PUBLISHERS_OF_MULTIVERSES}
        ids = reading.publisher_ids(self.dump, names) if names else {}
        for gcd_id, name, designation, multiverse in listed:
            publisher = ids.get(PUBLISHERS_OF_MULTIVERSES.get(multiverse, ""))
            fields = {
                "name": values.line(name or designation or multiverse)[:NAME_LENGTH],
                "designation": values.line(designation)[:NAME_LENGTH],
                "publisher": self._publisher(publisher) if publisher else None,
            }
            if not fields["publisher"]:
                self.review.add(
                    "universe-publisher", "universe", gcd_id, fields["name"], "publisher", there=multiverse
                )
            key = (fields["publisher"], fields["name"], fields["designation"])
            if gcd_id not in present and key in self._universes and not self._same_universe(gcd_id, fields):
                self.review.add("universe-clash", "universe", gcd_id, fields["name"], there=designation)
                continue
            self._universes.add(key)
            found.append((gcd_id, fields))
        self._add("universe", found, self._same_universe)

    def _same_universe(self, gcd_id: int, fields: dict) -> int | None:
        return self._same(
            "universe",
            gcd_id,
            name=fields["name"],
            designation=fields["designation"],
            publisher_id=fields["publisher"],
        )

    # Creators, characters, teams and arcs.

    def _creators(self, rows: PieceRows) -> None:
        wanted = self._not_mapped(
            "creator", (credit.creator_id for found in rows.credits.values() for credit in found)
        )
        found = []
        for creator in reading.creators(self.dump, wanted):
            if credit_roles.is_nobody(creator.name):
                continue
            life = {}
            for name, date in zip(("birth", "death"), creator.details, strict=True):
                day, precision = (date and values.certain_date(*date)) or (None, Precision.DAY)
                life |= {name: day, f"{name}_precision": precision}
            found.append((creator.id, _named(creator) | life))
        self._add("creator", found)

    def _teams(self, listed: list[reading.NamedRow]) -> None:
        found = []
        for team in listed:
            fields = {
                "name": values.line(team.name)[:NAME_LENGTH],
                "universes": self._known("universe", team.details),
            }
            found.append((team.id, fields))
        self._add("team", found)

    def _characters(self, listed: list[reading.NamedRow]) -> None:
        found = []
        for character in listed:
            universe, teams = character.details
            fields = _named(character)
            fields |= {"teams": self._known("team", teams), "universes": self._known("universe", [universe])}
            found.append((character.id, fields))
        self._add("character", found)

    def _arcs(self, rows: PieceRows) -> None:
        listed = reading.arcs(self.dump, self._not_mapped_in("arc", rows.arcs))
        self._add("arc", [(gcd_id, {"name": values.line(name)[:NAME_LENGTH]}) for gcd_id, name in listed])

    # Series.

    def _series(self, planned: dict[int, PlannedSeries], rows: PieceRows, imprints: dict[int, int]) -> None:
        found = []
        names = {series.id: values.line(series.name)[:NAME_LENGTH] for series in rows.series}
        taken = self.catalog.volumes(self._ids["publisher"].values(), set(names.values()))
        present = self.catalog.find("series", names)
        volumes = self._printed_volumes(rows)
        genres = self._genres_of(rows)
        for series in rows.series:
            publisher = self._ids["publisher"].get(series.publisher_id)
            if publisher is None:  # deleted here
                self.review.add("deleted-here", "series", series.id, series.name)
                continue
            plan = planned[series.id]
            fields = self._series_fields(series, plan, names[series.id], publisher)
            fields["imprint"] = self._ids["imprint"].get(imprints.get(series.id))
            fields["genres"] = sorted(genres.get(series.id, ()))
            if volumes.get(series.id, plan.volume) != plan.volume:
                self._note("volume", series, "volume", plan.volume, volumes[series.id])
            used = taken.setdefault((publisher, fields["name"], fields["series_type"]), set())
            if (
                series.id not in present
                and fields["volume"] in used
                and not self._same_series(series.id, fields)
            ):
                fields["volume"] = max(used) + 1
                self._note("volume", series, "volume", fields["volume"], plan.volume)
            used.add(fields["volume"])
            found.append((series.id, fields))
        self._add("series", found, self._same_series)

    def _same_series(self, gcd_id: int, fields: dict) -> int | None:
        return self._same(
            "series",
            gcd_id,
            name=fields["name"],
            year_began=fields["year_began"],
            publisher_id=fields["publisher"],
            series_type_id=fields["series_type"],
        )

    def _note(self, rule: str, series: reading.SeriesRow, field: str, here="", there="") -> None:
        self.review.add(rule, "series", series.id, series.name, field, here, there)

    def _series_fields(
        self, series: reading.SeriesRow, plan: PlannedSeries, name: str, publisher: int
    ) -> dict:
        language, rule = values.language(series.language)
        if rule:
            self._note(rule, series, "language", there=series.language)
        if plan.rule:
            self._note(plan.rule, series, "series_type", plan.code, series.publishing_format)
        began = values.certain_year(series.year_began)
        ended = values.certain_year(series.year_ended)
        endless = plan.code in (SeriesTypeCode.ONE_SHOT, SeriesTypeCode.ANNUAL) or series.is_current
        if not series.is_current and plan.code == SeriesTypeCode.SINGLE_ISSUE and not plan.rule:
            self._note("cancelled", series, "status", Status.COMPLETED.label, series.publishing_format)
        return {
            "name": name,
            "sort_name": values.line(series.sort_name)[:NAME_LENGTH] or name,
            "language": language,
            "volume": plan.volume,
            "year_began": began or values.YEARS[0],
            "year_end": None if endless or not began or not ended or ended < began else ended,
            "series_type": self.catalog.series_types[plan.code],
            "status": (Status.ONGOING if series.is_current else Status.COMPLETED).value,
            "publisher": publisher,
            "collection": plan.code in COLLECTED_CODES,
        }

    @staticmethod
    def _printed_volumes(rows: PieceRows) -> dict[int, int]:
        """The volume printed on the issues of each series, if it is one number and not the issue's."""
        printed, of_books = defaultdict(set), defaultdict(lambda: True)
        for issue in rows.issues:
            if issue.volume:
                printed[issue.series_id].add(issue.volume)
                of_books[issue.series_id] &= issue.volume == issue.number
        return {
            series: int(next(iter(found)))
            for series, found in printed.items()
            if len(found) == 1 and not of_books[series] and next(iter(found)).isdecimal()
        }

    def _genres_of(self, rows: PieceRows) -> dict[int, set[int]]:
        """The genres of each series: those of at least a quarter of its pages of comics."""
        home = {issue.id: issue.series_id for issue in rows.issues}
        total, pages = Counter(), defaultdict(Counter)
        for issue, stories in rows.stories.items():
            for story in stories:
                if story.type_id in reading.WITH_GENRES:
                    number = values.pages(story.page_count) or 1
                    total[home[issue]] += number
                    for genre in values.genres(story.genre):
                        pages[home[issue]][genre] += number
        ids = self.catalog.genres
        return {
            series: {
                ids[genre]
                for genre, number in found.items()
                if genre in ids and number >= SHARE_OF_GENRE * total[series]
            }
            for series, found in pages.items()
        }

    # Issues.

    def _issues(self, rows: PieceRows) -> None:
        for stray in rows.stray_variants:
            self._of_issue("variant-base", stray, "variants", there=stray.variant_name)
        variants = defaultdict(list)
        for variant in rows.variants:
            variants[variant.variant_of_id].append(variant)
        mapper = IssueMapper(self, rows, variants)
        present = self.catalog.find("issue", [issue.id for issue in rows.issues])
        known = {self._ids["series"].get(series.id) for series in rows.series} - {None}
        taken = self.catalog.numbers(known) if not self.dry_run or present else {}
        found = [
            (issue.id, mapper.fields(issue, number)) for issue, number in self._numbered(rows, present, taken)
        ]
        self._add("issue", found, lambda _gcd_id, fields: self._same_issue(taken, fields))

    @staticmethod
    def _same_issue(taken: dict, fields: dict) -> int | None:
        issue, gcd_id = taken.get((fields["series"], number_key(fields["number"])), (None, None))
        return issue if gcd_id is None else None

    def _numbered(self, rows: PieceRows, present: dict[int, int], taken: dict):
        """The issues that get a number in their series, each with its number."""
        sole = {series for series, number in Counter(i.series_id for i in rows.issues).items() if number == 1}
        claims = defaultdict(list)
        for issue in rows.issues:
            series = self._ids["series"].get(issue.series_id)
            if series is None:
                continue
            number = values.number(
                issue.number, issue.volume, with_volume=bool(issue.display_volume_with_number)
            )
            if number.rule == "unnumbered" and issue.series_id in sole:
                number = values.Number("1")
            if number.rule:
                self._of_issue(number.rule, issue, "number", there=issue.number)
            if number.number:
                claims[series, number_key(number.number)].append((issue, number))
        for (series, key), listed in claims.items():
            owner = taken.get((series, key))
            # The issue that already has the number first, then those with exactly this number printed.
            listed.sort(key=lambda claim: (claim[0].id not in present, claim[0].number != claim[1].number))
            if (
                owner
                and owner[1] is not None
                and owner[0] not in {present.get(each.id) for each, _ in listed}
            ):
                first, others = None, listed
            else:
                first, others = listed[0], listed[1:]
            for issue, _ in others:
                self._of_issue("number-clash", issue, "number", there=issue.number)
            if first:
                yield first

    def _of_issue(self, rule: str, issue: IssueRow, field: str, here="", there="") -> None:
        self.review.add(rule, "issue", issue.id, issue.number, field, here, there)


class IssueMapper:
    """Maps the issues of one piece, whose creators and characters already have ids."""

    def __init__(self, mapper: Mapper, rows: PieceRows, variants: dict[int, list[IssueRow]]):
        self._mapper = mapper
        self._rows = rows
        self._variants = variants
        self._countries = {series.id: series.country for series in rows.series}
        self._collections = {
            record.gcd_id
            for record in mapper._records
            if record.kind == "series" and record.fields["collection"]
        }

    def fields(self, issue: IssueRow, number: values.Number) -> dict:
        """The fields of an issue."""
        rows, known = self._rows, self._mapper._known
        store, rule = values.partial_date(issue.on_sale_date)
        if rule:
            self._note(rule, issue, "store_date", there=issue.on_sale_date)
        certain = store and store.known == Precision.DAY and not issue.on_sale_date_uncertain
        isbn, rule = values.isbn(issue.valid_isbn, issue.isbn)
        if rule:
            self._note(rule, issue, "isbn", there=issue.isbn)
        stories = rows.stories.get(issue.id, ())
        fields = {
            "series": self._mapper._ids["series"][issue.series_id],
            "number": number.number,
            "alt_number": number.alternative,
            "title": values.line(issue.title)[:NAME_LENGTH] if issue.series_id in self._collections else "",
            "name": self._titles(issue, stories),
            "store_date": store.day if certain else None,
            "rating": self._mapper.catalog.age_ratings.get(values.age_rating(issue.rating), 1),
            "isbn": isbn,
            "page": values.pages(issue.page_count),
            "arcs": known("arc", rows.arcs.get(issue.id, ())),
            "characters": known("character", rows.characters.get(issue.id, ())),
            "teams": known("team", rows.teams.get(issue.id, ())),
            "universes": known("universe", rows.universes.get(issue.id, ())),
            "credits": self._credits(issue, stories),
            "variants": [self._variant(issue, variant) for variant in self._variants.get(issue.id, ())],
            **self._cover_date(issue, store),
            **self._sold(issue, issue),
        }
        if None in rows.characters.get(issue.id, ()) or None in rows.teams.get(issue.id, ()):
            self._note("missing-name", issue, "characters")
        if self._mapper.choices.synopses:
            fields["desc"] = "\n\n".join(filter(None, (values.notes(story.synopsis) for story in stories)))
        return fields

    def _note(self, rule: str, issue: IssueRow, field: str, here="", there="") -> None:
        self._mapper._of_issue(rule, issue, field, here, there)

    def _titles(self, issue: IssueRow, stories) -> list[str]:
        found = []
        for story in stories:
            title = values.line(story.title)
            if story.type_id not in reading.TITLED or story.title_inferred or not title:
                continue
            if len(title) > values.TITLE_LENGTH:
                self._note("title-too-long", issue, "name", there=title)
            else:
                found.append(title)
        return found

    def _cover_date(self, issue: IssueRow, store: PartialDay | None) -> dict:
        """The date on the cover; without one, the date of sale as precisely as it is known."""
        key, rule = values.partial_date(issue.key_date)
        if rule:
            self._note(rule, issue, "cover_date", there=issue.key_date)
        day, precision = key or store or (None, Precision.NONE)
        return {"cover_date": day, "cover_date_precision": precision}

    def _sold(self, issue: IssueRow, row: IssueRow) -> dict:
        """The price and barcode of an issue or of one of its variants."""
        price, rule = values.own_price(row.price, self._countries[issue.series_id])
        if rule:
            self._note(rule, row, "price", price.amount if price else "", row.price)
        upc, rule = values.barcode(row.barcode)
        if rule:
            self._note(rule, row, "upc", there=row.barcode)
        return {
            "price": price.amount if price else None,
            "currency": price.currency if price else Currency.USD.value,
            "upc": upc,
        }

    def _variant(self, issue: IssueRow, row: IssueRow) -> dict:
        return {"name": values.line(row.variant_name)[:NAME_LENGTH], **self._sold(issue, row)}

    def _credits(self, issue: IssueRow, stories) -> list[dict]:
        """The credits of an issue, one for each creator; creators and roles are sorted by id."""
        found: dict[int, dict] = {}
        creators, roles = self._mapper._ids["creator"], self._mapper.catalog.roles
        rules = set()
        for credit in self._rows.credits.get(issue.id, ()):
            if credit.creator_id is None:
                self._note("missing-name", issue, "credits", there=credit.qualifier)
                continue
            if credit.uncertain:
                self._note("uncertain-credit", issue, "credits", there=credit.name)
                continue
            if credit.creator_id not in creators or credit_roles.is_nobody(credit.name):
                continue
            given = credit_roles.roles(credit.credit_type, credit.qualifier, story_type=credit.story_type)
            if given.rule and (given.rule, credit.qualifier) not in rules:
                rules.add((given.rule, credit.qualifier))
                self._note(given.rule, issue, "credits", ", ".join(given.names), credit.qualifier)
            ids = [roles[name] for name in given.names if name in roles]
            if ids:
                found.setdefault(creators[credit.creator_id], {}).update(dict.fromkeys(ids))
        self._note_text_credits(issue, stories)
        return [{"creator": creator, "roles": sorted(found[creator])} for creator in sorted(found)]

    def _note_text_credits(self, issue: IssueRow, stories) -> None:
        """Report the names in a story's text credits for jobs to which no creator is linked."""
        linked = {
            (credit.story_id, job)
            for credit in self._rows.credits.get(issue.id, ())
            for job in credit_roles.JOBS.get(credit.credit_type, ())
        }
        for story in stories:
            if story.type_id not in reading.CREDITED:
                continue
            for job in credit_roles.BASE:
                if (story.id, job) in linked:
                    continue
                if people := credit_roles.text_credits(getattr(story, job)):
                    self._note("text-credits", issue, f"credits: {job}", there="; ".join(people))


def _named(row: reading.NamedRow) -> dict:
    """The name and other names of a creator or character."""
    name = values.line(row.name)[:NAME_LENGTH]
    aliases = dict.fromkeys(values.line(each) for each in row.aliases)
    return {
        "name": name,
        "alias": [each for each in aliases if each and each != name and len(each) <= ALIAS_LENGTH],
    }
