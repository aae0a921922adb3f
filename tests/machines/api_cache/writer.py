"""An editor who writes over HTTP, through the API and in the browser."""

import webtest

from tests.api.conftest import basic_auth
from tests.web.conftest import form_to, log_in


class Writer:
    """An editor, logged in on the site, who also has credentials for the API."""

    def __init__(self, app, username: str, password: str):
        self.credentials = basic_auth(username, password)
        self.program = webtest.TestApp(app)
        self.browser = webtest.TestApp(app, parser_features="lxml")
        assert log_in(self.browser, username, password).status_int == 303

    def patch(self, entity, field: str, value: str) -> int:
        """PATCH with form data, which every kind accepts; returns the status."""
        path = f"/api/{entity.__tablename__}/{entity.id}/"
        answer = self.program.patch(path, {field: value}, headers=self.credentials, expect_errors=True)
        assert answer.status_int in (200, 400), answer.text
        return answer.status_int

    def submit(self, entity, field: str, value: str) -> int:
        """Open the page's form, fill in one field, and save; returns the status."""
        path = f"/{entity.__tablename__}/{entity.slug}/update/"
        form = form_to(self.browser.get(path), path)
        form[field] = value
        answer = form.submit(expect_errors=True)
        assert answer.status_int in (303, 422), answer.text
        return answer.status_int
