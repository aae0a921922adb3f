"""Command `throttle-notices`: find, warn and restrict those whose programs go on asking the API after 429."""

from dataclasses import fields

import click
from sqlalchemy.exc import DBAPIError

from comicsdb import db
from comicsdb.accounts.letters import throttle_report
from comicsdb.accounts.notices import NotSentError, Rules, act, candidates
from comicsdb.catalog.errors import InvalidError
from comicsdb.cli.support import Site, pass_site
from comicsdb.mail import queue_to_administrators
from comicsdb.ops.jobs import NOTICES, AlreadyRunningError, alone

DEFAULTS = {field.name: field.default for field in fields(Rules)}
NOBODY = "Nobody goes on asking after 429."


def number(name: str, words: str):
    """An option for one of the numbers of the rules."""
    kind, option = click.IntRange(min=1), "--" + name.replace("_", "-")
    return click.option(option, type=kind, default=DEFAULTS[name], show_default=True, help=words)


@click.command("throttle-notices")
@number("lookback_days", "Counts of today and of this many days before are read.")
@number("min_days", "This many bad days make an offender.")
@number("single_day_threshold", "A day with this many refusals is bad.")
@number("extreme_day_threshold", "One day with this many refusals makes an offender.")
@number("cooldown_days", "An account that had a notice is left in peace for this many days.")
@click.option(
    "--send/--dry-run", "send", default=False, help="Send and do it, or only say what would be done."
)
@click.option("--enforce", is_flag=True, help="Restrict accounts that have had enough notices.")
@number("enforce_after", "This many notices are enough.")
@pass_site
def throttle_notices_command(site: Site, send: bool, **rules):
    """Report accounts whose programs go on asking the API after 429; with --send, write to them.

    With --enforce too, accounts that had enough notices lose their tokens, or are disabled if they have none.
    """
    try:
        with site.database() as engine, alone(engine, NOTICES):
            failed = _run(site, db.session_factory(engine), Rules(**rules), send=send)
    except AlreadyRunningError as error:
        raise click.ClickException("The command is running already.") from error
    if failed:
        raise click.ClickException(f"Nothing was done about {', '.join(failed)}.")


def _run(site: Site, factory, rules: Rules, *, send: bool) -> list[str]:
    """Report, and act if that is asked for; gives the names of those with whom it failed."""
    with factory() as session:
        found = candidates(session, rules)
    if not found:
        click.echo(NOBODY)
        return []
    told, failed = [], []
    for candidate in found:
        try:
            done = act(factory, site.settings, rules, candidate.user_id) if send else candidate
        except (NotSentError, InvalidError, DBAPIError) as error:
            click.echo(f"{candidate.username}: {error}", err=True)
            failed.append(candidate.username)
            continue
        if done is not None:
            click.echo(done.line(done=send))
            told.append(done)
    if not send:
        number = f"{len(found)} candidate{'' if len(found) == 1 else 's'}"
        click.echo(f"{number}. Nothing was changed; to write to them add --send.")
    if told:
        lines, names = [each.line(done=send) for each in told], [each.username for each in told]
        with factory() as session:
            letter = throttle_report(names, lines, sent=send)
            queue_to_administrators(session, site.settings, letter, kind="throttled_accounts")
            session.commit()
    return failed
