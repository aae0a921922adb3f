"""Routes are looked for by the first word of an address: there are hundreds, and few begin alike."""

from pyramid.interfaces import IRoutesMapper
from pyramid.urldispatch import RoutesMapper

ANY = ""  # stands for all words with which no address of ours begins
SPECIAL = frozenset("{*:")  # a first word with one of them may stand for any


class RoutesByWord(RoutesMapper):
    """Pyramid's own mapper, and beside it one for each first word, with the routes that can match there."""

    def __init__(self):
        super().__init__()
        self._by_word: dict[str, RoutesMapper] = {}

    def connect(self, *args, **kw):
        """Add a route."""
        self._by_word = {}
        return super().connect(*args, **kw)

    def __call__(self, request):
        """The route of a request, and what stands in its address."""
        by_word = self._by_word or self._grouped()
        word = first_word(request.environ.get("PATH_INFO", ""))
        return by_word.get(word, by_word[ANY])(request)

    def _grouped(self) -> dict[str, RoutesMapper]:
        words = [first_word(route.pattern) for route in self.routelist]
        found = {}
        for each in {ANY, *words}:
            found[each] = RoutesMapper()
            pairs = zip(words, self.routelist, strict=True)
            found[each].routelist = [route for word, route in pairs if word == each or _may_be_any(word)]
        self._by_word = found
        return found


def first_word(path: str) -> str:
    """The first word of an address, with or without a slash before it."""
    return path.removeprefix("/").partition("/")[0]


def _may_be_any(word: str) -> bool:
    return bool(SPECIAL & set(word)) or not word.isascii()


def includeme(config):
    """Before any route is added."""
    if config.registry.queryUtility(IRoutesMapper) is None:
        config.registry.registerUtility(RoutesByWord(), IRoutesMapper)
