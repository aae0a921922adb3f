"""Tags for comic files: XML that comic readers and collection managers store inside such a file.

Each format writes one issue, given as the plain values of the API's detail (`/api/issue/ID/`).
"""

from collections.abc import Callable
from dataclasses import dataclass

from comicsdb.tags import comicinfo, metroninfo


@dataclass(frozen=True)
class TagFormat:
    """A format: its title, its name in URLs, its media type, and the name and content of its file.

    `write` makes the content from an object's detail; without it, the resource does so.
    """

    title: str
    name: str
    media_type: str
    file_name: str
    write: Callable[[dict], bytes] | None = None


COMICINFO = TagFormat(
    "ComicInfo 2.1", "comicinfo", "application/vnd.comicinfo+xml", "ComicInfo.xml", comicinfo.write
)
METRONINFO = TagFormat(
    "MetronInfo 1.1", "metroninfo", "application/vnd.metroninfo+xml", "MetronInfo.xml", metroninfo.write
)
CBL = TagFormat("CBL", "cbl", "application/x-cbl+xml", "ReadingList.cbl")
FORMATS = (COMICINFO, METRONINFO)
