"""Settings of connections: JIT compilation is off, unless a pooler may lend the connection to others, too."""

import pytest
from sqlalchemy import text

from comicsdb.db import make_engine


@pytest.mark.parametrize(("pooled", "jit"), [(False, "off"), (True, "on")])
def test_nothing_is_compiled_whatever_a_transaction_comes_to(shared_database, pooled, jit):
    engine = make_engine({"sqlalchemy.url": shared_database, "comicsdb.database.pooled": pooled})
    with engine.connect() as connection:
        connection.execute(text("SELECT 1"))
        connection.rollback()
        assert connection.scalar(text("SHOW jit")) == jit
    engine.dispose()
