"""Checks after a write: stamps that moved too little or too much, one-way links, wrong rating figures."""

from tests.machines.propagation.oracle import Oracle
from tests.machines.propagation.shapes import rating_figures, shown_of
from tests.machines.propagation.world import NAME_STAMPED, RATED, SYMMETRIC, World, moved


def check_stamps(before: World, after: World, oracle: Oracle) -> list[str]:
    """The errors in the stamps after one write, as text."""
    errors = []
    shown_before, shown_after = shown_of(before), shown_of(after)
    stamps = ("modified", "issues_modified", "name_changed", "rated")
    changed = {stamp: moved(before, after, stamp) for stamp in stamps}
    stale = {key for key in oracle.kept if shown_before.details[key] != shown_after.details[key]}
    stale |= oracle.written & oracle.kept
    stale_lists = {
        key
        for key in shown_after.lists
        if key in shown_before.lists and shown_before.lists[key] != shown_after.lists[key]
    }
    rated = {key for key in oracle.kept if key[0] in RATED}
    figures = {key for key in rated if rating_figures(before, *key) != rating_figures(after, *key)}
    named_by_rules = oracle.touched()
    named = {key for key in oracle.renamed() if key[0] in NAME_STAMPED}
    for message, keys in (
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
        errors += [f"{message}: {key}" for key in sorted(keys)]
    for stamp, keys in changed.items():
        shrunk = {key for key in keys if not _grew(before, after, key, stamp)}
        errors += [f"{stamp} did not grow: {key}" for key in sorted(shrunk)]
    lost = {key for key in oracle.kept if not _keeps_previous_stamps(before, after, key)}
    return errors + [f"previous stamp is wrong: {key}" for key in sorted(lost)]


def _grew(before: World, after: World, key, stamp: str) -> bool:
    earlier = before.row(key)[stamp]
    return earlier is None or after.row(key)[stamp] > earlier


def _keeps_previous_stamps(before: World, after: World, key) -> bool:
    """Whether each previous stamp is the value before the stamp moved, or unchanged if it did not move."""
    old, new = before.row(key), after.row(key)
    return all(
        new[f"{stamp}_before"] == (old[f"{stamp}_before"] if new[stamp] == old[stamp] else old[stamp])
        for stamp in ("modified", "issues_modified", "rated")
        if f"{stamp}_before" in new
    )


def check_state(world: World) -> list[str]:
    """The errors in the state itself: links stored in one direction only, wrong rating figures."""
    errors = []
    for table in SYMMETRIC:
        pairs = {tuple(row.values()) for row in world.tables[table]}
        errors += [f"{table} is one way only: {pair}" for pair in sorted(pairs) if pair[::-1] not in pairs]
    for kind in RATED:
        for each, row in world.rows[kind].items():
            average = round(row["rating_sum"] / row["rating_count"], 2) if row["rating_count"] else None
            if (average, row["rating_count"]) != rating_figures(world, kind, each):
                errors.append(f"figures are not the ratings: {kind} {each}")
    return errors
