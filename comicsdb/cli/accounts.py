"""Commands about accounts: creating them, granting and revoking rights, and regular jobs."""

from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime, timedelta

import click
from sqlalchemy.exc import DBAPIError

from comicsdb import admin, db
from comicsdb.accounts.context import command_context
from comicsdb.accounts.deletion import clean
from comicsdb.accounts.first_setup import make_setup_link
from comicsdb.accounts.letters import throttle_report
from comicsdb.accounts.supporters import (
    FetchError,
    Terms,
    fetch_contributions,
    fetch_start,
    record_contributions,
)
from comicsdb.admin.notices import NoticeRules, NotSentError, candidates, remind_basic_users, send_notice
from comicsdb.catalog.errors import InvalidError
from comicsdb.catalog.history import horizon
from comicsdb.cli.support import DAYS, Site, error_texts, pass_site
from comicsdb.library import acts
from comicsdb.library.transfer import imports, pending
from comicsdb.mail import queue_to_administrators
from comicsdb.ops.jobs import DONATIONS, NOTICES, job_lock
from comicsdb.ratelimit.postgres import remove_expired
from comicsdb.webhooks import delivery

USERNAME = click.argument("username")
RIGHTS = (
    click.option("--group", "groups", multiple=True, help="A group, such as editor; may be repeated."),
    click.option("--staff", "is_staff", is_flag=True, help="Access to the admin pages."),
    click.option("--superuser", "is_superuser", is_flag=True, help="All permissions."),
)
PASSWORD = click.option("--password", prompt=True, hide_input=True, confirmation_prompt=True)

DEFAULTS = {field.name: field.default for field in fields(NoticeRules)}
NOBODY = "Nobody goes on asking after 429."


def with_rights(command):
    """Add the options for rights."""
    for option in reversed(RIGHTS):
        command = option(command)
    return command


@contextmanager
def committed_session(site: Site):
    """A session that is committed at the end; an InvalidError becomes a one-line message."""
    with site.session() as session:
        try:
            yield session
            session.commit()
        except InvalidError as error:
            raise click.ClickException(" ".join(error_texts(error))) from error


@click.group("account")
def account_group():
    """Create accounts, and grant or revoke rights; every action is logged."""


@account_group.command("create")
@USERNAME
@click.argument("email")
@PASSWORD
@with_rights
@pass_site
def create_command(site: Site, username: str, email: str, password: str, **rights):
    """Create an active account with a confirmed address."""
    with committed_session(site) as session:
        user = admin.create_account(
            session, None, site.passwords, username=username, email=email, password=password
        )
        changes = _right_changes(**rights, granted=True)
        admin.change_account(command_context(session, site.settings), None, user, changes)
    click.echo(f"{user.username} now has account {user.id}.")


@account_group.command("grant")
@USERNAME
@with_rights
@pass_site
def grant_command(site: Site, username: str, **rights):
    """Grant rights to an account."""
    _change(site, username, _right_changes(**rights, granted=True))


@account_group.command("revoke")
@USERNAME
@with_rights
@pass_site
def revoke_command(site: Site, username: str, **rights):
    """Revoke rights of an account."""
    _change(site, username, _right_changes(**rights, granted=False))


@account_group.command("deactivate")
@USERNAME
@pass_site
def deactivate_command(site: Site, username: str):
    """Deactivate an account: nobody can log in, and its tokens are not accepted."""
    _change(site, username, {"is_active": False})


@account_group.command("activate")
@USERNAME
@pass_site
def activate_command(site: Site, username: str):
    """Activate an account."""
    _change(site, username, {"is_active": True})


@account_group.command("password")
@USERNAME
@PASSWORD
@pass_site
def password_command(site: Site, username: str, password: str):
    """Set a new password for an account; its sessions end."""
    with committed_session(site) as session:
        user = admin.account_named(session, username)
        admin.set_password(command_context(session, site.settings), None, site.passwords, user, password)
    click.echo(f"{user.username} has a new password.")


@account_group.command("reset-second-factor")
@USERNAME
@pass_site
def reset_second_factor_command(site: Site, username: str):
    """Turn off two-step log-in for an account whose owner lost every second factor, and mail the owner."""
    with committed_session(site) as session:
        user = admin.account_named(session, username)
        reset = admin.reset_second_factor(command_context(session, site.settings), None, user)
    if reset:
        click.echo(f"{user.username} now logs in with the password alone.")
    else:
        click.echo(f"{user.username} has no two-step log-in.")


@account_group.command("delete")
@USERNAME
@click.confirmation_option(prompt="Delete this account and everything in it?")
@pass_site
def delete_command(site: Site, username: str):
    """Delete an account; its contributions to the catalog stay."""
    with committed_session(site) as session:
        admin.delete_account(session, None, admin.account_named(session, username))
    click.echo(f"The account {username} is deleted.")


@account_group.command("set-up")
@pass_site
def set_up_command(site: Site):
    """Print a new link for the set-up of a site that has no administrator."""
    with committed_session(site) as session:
        link = make_setup_link(session, site.settings)
    if link is None:
        raise click.ClickException("The site has an administrator already, or is a mirror.")
    click.echo(link)


@account_group.command("sign-ups")
@click.argument("state", type=click.Choice(["on", "off"]))
@click.option("--message", default="", help="What people are told while they are closed.")
@pass_site
def sign_ups_command(site: Site, state: str, message: str):
    """Turn sign-ups on or off."""
    with committed_session(site) as session:
        admin.set_sign_ups(session, None, state == "on", message)
    click.echo(f"Sign-ups are {state}.")


@account_group.command("clean")
@pass_site
def clean_command(site: Site):
    """Remove old sessions, links, events, drafts, imports, acts, and unfinished sign-ups: a daily job.

    Entries of reading lists whose issues are in the catalog by now become issues of the lists.
    Also removes expired counts of rate limits, old deliveries of webhooks, and everything beyond the horizon
    of the change feed.
    """
    days = timedelta(site.settings["comicsdb.feed.days"])
    with committed_session(site) as session:
        counted = clean(session)
    with committed_session(site) as session:
        counted["imports"] = imports.clean(session)
    with committed_session(site) as session:
        acts.clean(session)
    with committed_session(site) as session:
        delivery.clean(session)
    with committed_session(site) as session:
        horizon.remove_older(session, days or None)
    with committed_session(site) as session:
        remove_expired(session)
    with site.database() as engine:
        resolved = pending.resolve_all(db.session_factory(engine))
    if resolved:
        click.echo(f"{resolved:,} entries of reading lists became issues.")
    click.echo(
        f"{counted['sessions']:,} sessions, {counted['links']:,} links, {counted['events']:,} security"
        f" events, {counted['drafts']:,} drafts, {counted['imports']:,} imports and"
        f" {counted['accounts']:,} accounts that were never activated removed."
    )


@account_group.command("remind-basic")
@click.option("--dry-run", is_flag=True, help="Only list who would be e-mailed.")
@pass_site
def remind_basic_command(site: Site, dry_run: bool):
    """Remind accounts that still use HTTP Basic with the API, as the current phase requires: a daily job."""
    with site.database() as engine:
        names = remind_basic_users(db.session_factory(engine), site.settings, dry_run=dry_run)
    for name in names:
        click.echo(name)
    click.echo(f"{len(names):,} {'would be' if dry_run else 'are'} reminded.")


def _right_changes(groups: tuple[str, ...], is_staff: bool, is_superuser: bool, *, granted: bool) -> dict:
    """The changes of an account that grant or revoke rights."""
    flags = {"is_staff": is_staff, "is_superuser": is_superuser}
    changes = {flag: granted for flag, wanted in flags.items() if wanted}
    return {**changes, "add_groups" if granted else "remove_groups": groups}


def _change(site: Site, username: str, changes: dict) -> None:
    """Change an account, and print what has changed."""
    with committed_session(site) as session:
        user = admin.account_named(session, username)
        change = admin.change_account(command_context(session, site.settings), None, user, changes)
    for field, (before, after) in change.items():
        click.echo(f"{user.username}: {field}: {before} → {after}")
    if not change:
        click.echo(f"Nothing had to be changed for {user.username}.")


@click.command("sync-donors")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Read contributions from this day on (UTC); by default from a day before the newest known.",
)
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@pass_site
def sync_donors_command(site: Site, since: datetime | None, dry_run: bool):
    """Make donors supporters, by the confirmed addresses of their accounts; may run every hour."""
    settings = site.settings
    if not settings["comicsdb.donations.collective"]:
        click.echo("Nothing to do: the setting comicsdb.donations.collective names no collective.")
        return
    terms = Terms(settings["comicsdb.donations.tiers"], settings["comicsdb.donations.yearly"])
    try:
        with site.session() as session, job_lock(session.get_bind(), DONATIONS):
            beginning = since.replace(tzinfo=UTC) if since else fetch_start(session)
            session.rollback()  # no transaction stays open during the requests
            gifts = fetch_contributions(settings, beginning)
            outcomes = record_contributions(session, gifts, terms, dry_run=dry_run)
    except FetchError as error:
        raise click.ClickException(f"Nothing was done, as the donation platform failed: {error}") from error
    click.echo(f"{len(gifts):,} contributions since {beginning:%Y-%m-%d}")
    for outcome, number in outcomes.items():
        click.echo(f"{outcome:<20}{number:>8,}")
    if dry_run:
        click.echo("Dry run: nothing was changed.")


def _threshold(name: str, words: str):
    """An option for a threshold of the rules."""
    kind = DAYS if name.endswith("_days") else click.IntRange(min=1)
    option = "--" + name.replace("_", "-")
    return click.option(option, type=kind, default=DEFAULTS[name], show_default=True, help=words)


@click.command("throttle-notices")
@_threshold("lookback_days", "Counts of today and of this many days before are read.")
@_threshold("min_days", "An account is reported after this many bad days.")
@_threshold("single_day_threshold", "A day with this many refusals is bad.")
@_threshold("extreme_day_threshold", "An account is also reported after one day with this many refusals.")
@_threshold("cooldown_days", "An account that had a notice gets no other for this many days.")
@click.option(
    "--send/--dry-run",
    "send",
    default=False,
    help="Send the mails, and restrict accounts if that is enforced; by default, only show what would be"
    " done.",
)
@click.option(
    "--enforce/--no-enforce",
    default=None,
    help="Whether to restrict accounts that have had enough notices; by default, the setting"
    " comicsdb.notices.enforce says so.",
)
@_threshold("enforce_after", "This many notices are enough.")
@pass_site
def throttle_notices_command(site: Site, send: bool, enforce: bool | None, **thresholds):
    """Report accounts whose programs keep sending requests to the API after 429; with --send, write to them.

    If that is enforced, accounts that had enough notices lose their tokens, or are disabled without any.
    """
    if enforce is None:
        enforce = site.settings["comicsdb.notices.enforce"]
    rules = NoticeRules(enforce=enforce, **thresholds)
    with site.database() as engine, job_lock(engine, NOTICES):
        failed = _send_notices(site, db.session_factory(engine), rules, send=send)
    if failed:
        raise click.ClickException(f"Nothing was done about {', '.join(failed)}.")


def _send_notices(site: Site, factory, rules: NoticeRules, *, send: bool) -> list[str]:
    """Report, and with `send` act; returns the names of accounts for which that failed."""
    with factory() as session:
        found = candidates(session, rules)
    if not found:
        click.echo(NOBODY)
        return []
    notified, failed = [], []
    for candidate in found:
        try:
            done = send_notice(factory, site.settings, rules, candidate.user_id) if send else candidate
        except (NotSentError, InvalidError, DBAPIError) as error:
            click.echo(f"{candidate.username}: {error}", err=True)
            failed.append(candidate.username)
            continue
        if done is not None:
            click.echo(done.line(done=send))
            notified.append(done)
    if not send:
        number = f"{len(found)} candidate{'' if len(found) == 1 else 's'}"
        click.echo(f"{number}. Nothing was changed; to write to them add --send.")
    if notified:
        lines, names = [each.line(done=send) for each in notified], [each.username for each in notified]
        with factory() as session:
            letter = throttle_report(names, lines, sent=send)
            queue_to_administrators(session, site.settings, letter, kind="throttled_accounts")
            session.commit()
    return failed
