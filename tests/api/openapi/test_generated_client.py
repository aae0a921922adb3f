"""A client that openapi-python-client generates from the description reads and writes every kind."""

import importlib
import io
import json
import sys
from datetime import date

import httpx
import pytest
from typer.testing import CliRunner

from comicsdb.security import has_permission
from comicsdb_api.openapi.document import EDITOR_ACCOUNT
from tests.api.conftest import PASSWORD
from tests.api.resource.test_statements import world
from tests.api.writing import picture, storage_key

PACKAGE = "generated_comicsdb_client"
KINDS = ["arc", "character", "creator", "imprint", "issue", "publisher", "series", "team", "universe"]


@pytest.fixture(scope="module")
def generated(wsgi, tmp_path_factory):
    """The generated package; a part that cannot be turned into code is an error of the description."""
    folder = tmp_path_factory.mktemp("generated")
    descriptions = wsgi.registry["comicsdb_api.descriptions"]
    document = descriptions.document(
        descriptions.rights(lambda permission: has_permission(EDITOR_ACCOUNT, permission))
    )
    (folder / "openapi.json").write_text(json.dumps(document))
    as_bytes = {"application/zip": "application/octet-stream"}  # the generator knows only the latter
    config = {"post_hooks": [], "content_type_overrides": as_bytes}
    (folder / "config.json").write_text(json.dumps(config))
    from openapi_python_client.cli import app  # slow to import, and few tests need it

    done = CliRunner().invoke(
        app,
        [
            *("generate", "--fail-on-warning"),
            *("--path", str(folder / "openapi.json"), "--config", str(folder / "config.json")),
            *("--output-path", str(folder / PACKAGE), "--meta", "none"),
        ],
    )
    assert done.exit_code == 0, done.output
    sys.path.insert(0, str(folder))
    yield importlib.import_module(PACKAGE)
    sys.path.remove(str(folder))


class Caller:
    """Calls operations of the generated package against the application under test."""

    def __init__(self, package, wsgi):
        self.models = importlib.import_module(f"{package.__name__}.models")
        self.types = importlib.import_module(f"{package.__name__}.types")
        self.package = package
        self.client = package.Client(
            base_url="http://localhost",
            httpx_args={"transport": httpx.WSGITransport(app=wsgi), "auth": ("editor", PASSWORD)},
            raise_on_unexpected_status=True,
        )

    def __call__(self, tag, operation, *path, status=200, **arguments):
        """Call an operation; returns the body as the package's type for it."""
        module = importlib.import_module(f"{self.package.__name__}.api.{tag}.api_{tag}_{operation}")
        answer = module.sync_detailed(*path, client=self.client, **arguments)
        assert answer.status_code == status, answer.content
        return answer.parsed

    def body(self, name, /, **fields):
        """The body of a request, as the package's type for it."""
        return getattr(self.models, name)(**fields)


@pytest.fixture
def call(generated, wsgi, editor):
    """A caller that may change the catalog."""
    return Caller(generated, wsgi)


def wanted(make) -> dict[str, dict]:
    """Fields of an object of each kind, with links."""
    publisher, creators, universes = make.publisher().id, [make.creator().id], [make.universe().id]
    run = {"sort_name": "A", "volume": 1, "year_began": 2019, "series_type": 13, "publisher": publisher}
    more = {"price": "3.50", "page": 32, "name": ["Low", "Water"], "arcs": [make.arc().id]}
    return {
        "arc": {},
        "character": {"alias": ["x", "y"], "creators": creators, "universes": universes},
        "creator": {"birth": date(1971, 4, 2), "alias": ["x"]},
        "imprint": {"publisher": publisher, "founded": 1993},
        "issue": {"series": make.series().id, "cover_date": date(2019, 6, 1)} | more,
        "publisher": {"alt_names": ["x"], "founded": 1975},
        "series": run | {"genres": [1, 2]},
        "team": {"creators": creators, "universes": universes},
        "universe": {"publisher": publisher, "designation": "B"},
    }


def a_picture(call):
    """A picture, as the package's type for uploads."""
    return call.types.File(payload=io.BytesIO(picture()), file_name="a.png", mime_type="image/png")


@pytest.mark.parametrize("ending", ["Input", "Form", "Multipart"])
def test_it_makes_and_changes_all_kinds_in_every_media_type(call, make, ending):
    for kind, fields in wanted(make).items():
        shape, sent = f"{kind.title()}{ending}", dict(fields)
        sent |= {"number": "3"} if kind == "issue" else {"name": "A"}
        if kind == "series":
            sent["status"] = getattr(call.models, f"{shape}Status")(4)
        shows = dict(sent)
        if ending == "Multipart" and kind != "series":
            sent["image"] = a_picture(call)
        made = call(kind, "create", body=call.body(shape, **sent), status=201)
        assert {name: getattr(made, name) for name in shows} == shows
        seen = call(kind, "retrieve", made.id)
        assert ("image" not in sent) or storage_key(seen.image).startswith(f"{kind}/")
        change = call.body(f"{kind.title()}{ending.removesuffix('Input')}Change", desc="It blows.")
        assert call(kind, "partial_update", made.id, body=change).desc == "It blows."
        whole = call.body(shape, **shows, desc="It rains.")
        assert call(kind, "update", made.id, body=whole).desc == "It rains."
        assert call(kind, "retrieve", made.id).desc == "It rains."


def test_it_reads_all_lists(call, make):
    world(make, 2)
    for kind in KINDS:
        assert call(kind, "list").results
    changes = call("change", "list", kind=call.models.ApiChangeListKind.ISSUE)
    assert changes.results[0].kind == "issue"
    assert call("root", "retrieve").change == "http://localhost/api/change/"


def test_it_adds_to_collection_and_lists(call, make):
    issue = make.issue()
    for ending, status in (("Input", 201), ("Form", 200), ("Multipart", 200)):
        owned = {"issue_id": issue.id, "quantity": 2, "grade": 9.8, "purchase_price": "4.50"}
        item = call(
            "collection", "add_create", body=call.body(f"CollectionAdd{ending}", **owned), status=status
        )
        assert (item.issue.id, item.quantity, item.grade, item.purchase_price) == tuple(owned.values())
        wish = {"issue_id": issue.id, "priority": 1, "desired_grade": 9.8}
        wished = call(
            "wish_list", "items_add_create", body=call.body(f"WishListItem{ending}", **wish), status=status
        )
        assert (wished.issue.id, wished.priority, wished.desired_grade) == tuple(wish.values())
        body = call.body(f"PullListSeries{ending}", series_id=issue.series_id)
        assert call("pull_list", "series_add_create", body=body, status=status).series.id == issue.series_id
    read = call("collection", "scrobble_create", body=call.body("ScrobbleInput", issue_id=issue.id, rating=4))
    assert (read.is_read, read.rating) == (True, 4)


def test_it_writes_credits_and_variants(call, make):
    issue, creator = make.issue(), make.creator()
    credit = call.body("CreditInput", issue=issue.id, creator=creator.id, role=[1, 2])
    (made,) = call("credit", "create", body=[credit], status=201)
    assert (made.issue, made.creator, made.role) == (issue.id, creator.id, [1, 2])
    foil = call.body("VariantMultipart", issue=issue.id, image=a_picture(call), name="Foil")
    variant = call("variant", "create", body=foil, status=201)
    gold = call("variant", "partial_update", variant.id, body=call.body("VariantChange", name="Gold"))
    assert (variant.name, gold.name) == ("Foil", "Gold")


def test_it_reads_what_was_wrong(call):
    said = call("arc", "create", body=call.body("ArcInput", name=""), status=400)
    assert said.additional_properties == {"name": ["This field may not be blank."]}
