"""Checks after a write: stamps that moved too little or too much, one-way links, wrong rating figures."""

from tests.machines.propagation.oracle import Oracle
from tests.machines.propagation.shapes import rating_figures, shown_of
from tests.machines.propagation.world import NAME_STAMPED, RATED, SYMMETRIC, World, moved


def check_stamps(before: World, after: World, oracle: Oracle) -> list[str]:
    """The errors in the stamps after one write, as text."""
    wrong = []
    shown, shows = shown_of(before), shown_of(after)
    stamps = ("modified", "issues_modified", "name_changed", "rated")
    changed = {stamp: moved(before, after, stamp) for stamp in stamps}
    stale = {key for key in oracle.kept if shown.details[key] != shows.details[key]}
    stale |= oracle.written & oracle.kept
    stale_lists = {key for key in shows.lists if key in shown.lists and shown.lists[key] != shows.lists[key]}
    rated = {key for key in oracle.kept if key[0] in RATED}
    figures = {key for key in rated if rating_figures(before, *key) != rating_figures(after, *key)}
    named_by_rules = oracle.touched()
    named = {key for key in oracle.renamed() if key[0] in NAME_STAMPED}
    for words, keys in (
        ("stale: body changed, modified did not", stale - changed["modified"]),
        ("a rule names it, modified did not move", named_by_rules - changed["modified"]),
        ("modified moved for no rule", changed["modified"] - named_by_rules),
        ("stale: issue list changed, its stamp did not", stale_lists - changed["issues_modified"]),
        ("issue list stamp should have moved", oracle.lists() - changed["issues_modified"]),
        ("issue list stamp moved for no rule", changed["issues_modified"] - oracle.lists()),
        ("stale: rating figures changed, their stamp did not", figures - changed["rated"]),
        ("rating stamp should have moved", oracle.rated() - changed["rated"]),
        ("rating stamp moved for no rule", changed["rated"] - oracle.rated()),
        ("name changed, its stamp did not", named - changed["name_changed"]),
        ("name stamp moved, the name did not change", changed["name_changed"] - named),
    ):
        wrong += [f"{words}: {key}" for key in sorted(keys)]
    for stamp, keys in changed.items():
        shrunk = {key for key in keys if not _grew(before, after, key, stamp)}
        wrong += [f"{stamp} did not grow: {key}" for key in sorted(shrunk)]
    lost = {key for key in oracle.kept if not _kept(before, after, key)}
    return wrong + [f"previous stamp is wrong: {key}" for key in sorted(lost)]


def _grew(before: World, after: World, key, stamp: str) -> bool:
    earlier = before.row(key)[stamp]
    return earlier is None or after.row(key)[stamp] > earlier


def _kept(before: World, after: World, key) -> bool:
    """Whether each previous stamp is the value before the stamp moved, or unchanged if it did not move."""
    old, new = before.row(key), after.row(key)
    return all(
        new[f"{stamp}_before"] == (old[f"{stamp}_before"] if new[stamp] == old[stamp] else old[stamp])
        for stamp in ("modified", "issues_modified", "rated")
        if f"{stamp}_before" in new
    )


def check_state(world: World) -> list[str]:
    """The errors in the state itself: links stored in one direction only, wrong rating figures."""
    wrong = []
    for table in SYMMETRIC:
        pairs = {tuple(row.values()) for row in world.tables[table]}
        wrong += [f"{table} is one way only: {pair}" for pair in sorted(pairs) if pair[::-1] not in pairs]
    for kind in RATED:
        for each, row in world.rows[kind].items():
            average = round(row["rating_sum"] / row["rating_count"], 2) if row["rating_count"] else None
            if (average, row["rating_count"]) != rating_figures(world, kind, each):
                wrong.append(f"figures are not the ratings: {kind} {each}")
    return wrong
