"""Import of accounts.

If the system account is the only one in the database, the ids of the data set are kept, and its user 1
replaces the system account. Otherwise users are matched by name, and existing accounts are not changed.
Passwords and tokens are hashed before they reach the database.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from comicsdb.accounts.passwords import UNUSABLE, Passwords, digest
from comicsdb.exchange.format import USERS
from comicsdb.exchange.run import ImportRun
from comicsdb.exchange.staging import Pictures, report, stage
from comicsdb.models.base import SYSTEM_USER_ID

BATCH = 256
TOKEN_KEY_LENGTH = 15
TOKEN_COLUMN = (("token_key", "varchar(25)"),)
_AT = {field.key: at for at, field in enumerate(USERS.fields, 2)}  # after line and db_id
_FILLED = USERS.columns


def stage_users(run: ImportRun, passwords: Passwords, pictures: Pictures) -> None:
    """Read users.jsonl; only new users' passwords are hashed, as hashing is slow."""
    taken = run.ids("SELECT lower(username) FROM user_account")

    def prepared(row: list) -> list:
        token, password = row[_AT["api_token"]], row[_AT["password"]]
        token = "" if token in passwords.refused else token
        wanted = password and password not in passwords.refused and row[_AT["username"]].lower() not in taken
        row[_AT["password"]] = passwords.hash(password) if wanted else UNUSABLE
        row[_AT["api_token"]] = digest(token) if token else ""
        return [*row, token[:TOKEN_KEY_LENGTH]]

    def all_prepared(rows: Iterator[list]) -> Iterator[list]:
        with ThreadPoolExecutor(os.cpu_count()) as pool:  # argon2 releases the GIL
            while batch := list(islice(rows, BATCH)):
                yield from pool.map(prepared, batch)

    stage(run, USERS, pictures, TOKEN_COLUMN, all_prepared)


def match(run: ImportRun) -> None:
    """Match or create the accounts, and set `db_id` of the staged users."""
    cursor = run.cursor
    if run.rows("SELECT count(*), max(id) FROM user_account") == [(1, SYSTEM_USER_ID)]:
        cursor.execute("UPDATE staged_users SET found = true WHERE id = %s AND NOT found", (SYSTEM_USER_ID,))
        replacing = cursor.rowcount == 1
        _report_conflicts(run, SYSTEM_USER_ID if replacing else 0)
        if replacing:
            _replace_system_account(run)
    else:
        cursor.execute(
            "UPDATE staged_users s SET db_id = t.id, found = true FROM user_account t"
            " WHERE lower(t.username) = lower(s.username)"
        )
        run.report.count(USERS.name, "unchanged", cursor.rowcount)
        cursor.execute(
            "UPDATE staged_users s SET db_id = n.db_id FROM ("
            " SELECT id, nextval(pg_get_serial_sequence('user_account', 'id')) AS db_id FROM"
            " (SELECT id FROM staged_users WHERE NOT found ORDER BY id) o) n WHERE s.id = n.id"
        )
        _report_conflicts(run, 0)
    _create(run)


def _report_conflicts(run: ImportRun, replaced: int) -> None:
    """Report user names, e-mail addresses and tokens of new users that other accounts already have."""
    for field, condition in (
        ("username", "lower(t.username) = lower(s.username)"),
        ("email", "lower(t.email) = lower(s.email)"),
        ("api_token", "EXISTS (SELECT FROM api_token k WHERE k.user_id = t.id AND k.digest = s.api_token)"),
    ):
        report(
            run.problems,
            run.cursor,
            (USERS.file_name, field),
            "belongs to the account {1}",
            f"SELECT s.line, t.username FROM staged_users s JOIN user_account t ON {condition}"
            " WHERE NOT s.found AND t.id <> %s",
            replaced,
        )
    report(
        run.problems,
        run.cursor,
        (USERS.file_name, "api_token"),
        "was used on line {1} already",
        "SELECT line, earlier FROM (SELECT line, min(line) OVER (PARTITION BY api_token) AS earlier"
        " FROM staged_users WHERE api_token <> '') x WHERE line > earlier",
    )
    run.problems.stop_if_any()


def _replace_system_account(run: ImportRun) -> None:
    changes = ", ".join(f"{column} = s.{column}" for column in _FILLED)
    run.cursor.execute(
        f"UPDATE user_account t SET {changes}, email_confirmed = true FROM staged_users s"
        " WHERE s.id = t.id AND t.id = %s",
        (SYSTEM_USER_ID,),
    )
    run.report.count(USERS.name, "changed")
    _add_groups_and_tokens(run, "s.id = 1")


def _create(run: ImportRun) -> None:
    columns = ", ".join(_FILLED)
    run.cursor.execute(
        f"INSERT INTO user_account (id, {columns}, email_confirmed)"
        f" SELECT db_id, {columns}, true FROM staged_users WHERE NOT found ORDER BY db_id"
    )
    run.report.count(USERS.name, "new", run.cursor.rowcount)
    run.cursor.execute(
        "SELECT setval(pg_get_serial_sequence('user_account', 'id'), (SELECT max(id) FROM user_account))"
    )
    _add_groups_and_tokens(run, "NOT s.found")


def _add_groups_and_tokens(run: ImportRun, which: str) -> None:
    run.cursor.execute(
        "INSERT INTO user_group (name)"
        " SELECT DISTINCT g.name FROM staged_users s, unnest(s.groups) AS g (name)"
        f" WHERE {which} ORDER BY 1 ON CONFLICT (name) DO NOTHING"
    )
    run.cursor.execute(
        "INSERT INTO user_group_member (user_id, group_id) SELECT DISTINCT s.db_id, g.id"
        f" FROM staged_users s JOIN user_group g ON g.name = ANY(s.groups) WHERE {which} ORDER BY 1, 2"
    )
    run.cursor.execute(
        "INSERT INTO api_token (digest, token_key, user_id) SELECT s.api_token, s.token_key, s.db_id"
        f" FROM staged_users s WHERE s.api_token <> '' AND {which} ORDER BY s.db_id"
    )
