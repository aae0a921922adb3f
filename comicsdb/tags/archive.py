"""The tags of many issues as a ZIP archive, which has a folder with the format's file for each issue."""

import io
import re
import zipfile
from collections.abc import Iterable
from datetime import datetime

from comicsdb.tags import TagFormat

NAME_MAX = 150  # characters of a series' name
FOLDER_BYTES = 255  # that file systems allow
EARLIEST, LATEST = (1980, 1, 1, 0, 0, 0), (2107, 12, 31, 23, 59, 59)  # times that ZIP archives can tell
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')


def archive(issues: Iterable[dict], chosen: TagFormat) -> bytes:
    """The archive, which depends only on the issues: the same issues result in the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for issue in issues:
            modified = datetime.fromisoformat(issue["modified"])
            moment = min(max(modified.timetuple()[:6], EARLIEST), LATEST)
            file = zipfile.ZipInfo(f"{folder(issue)}/{chosen.file_name}", moment)
            file.compress_type = zipfile.ZIP_DEFLATED
            file.external_attr = 0o644 << 16
            made.writestr(file, chosen.write(issue))
    return packed.getvalue()


def folder(issue: dict) -> str:
    """The name of an issue's folder: series, year, number and id, in characters that all systems allow."""
    series = issue["series"]
    number = f" ({series['year_began']}) {issue['number']} [{issue['id']}]"
    room = FOLDER_BYTES - len(number.encode())
    name = series["name"][:NAME_MAX].encode()[:room].decode(errors="ignore")  # without half a character
    return _UNSAFE.sub("_", f"{name.strip(' .')}{number}")
