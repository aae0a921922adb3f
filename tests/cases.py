"""Many cases in one test: if they leave nothing behind, they can share the test's fixtures."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps


def for_each(names: str, cases: Iterable) -> Callable:
    """Call a test with each of these cases, like `pytest.mark.parametrize`, but with the same fixtures.

    Creating an account and a catalog takes longer than a request. A failure names its case.
    """
    names, cases = names.split(","), list(cases)
    assert cases

    def decorate(test: Callable) -> Callable:
        @wraps(test)
        def run(**fixtures):
            for case in cases:
                values = dict(zip(names, case if len(names) > 1 else [case], strict=True))
                try:
                    test(**fixtures, **values)
                except BaseException as error:
                    error.add_note(f"in the case {values}")
                    raise

        signature = inspect.signature(test)
        shared = [each for each in signature.parameters.values() if each.name not in names]
        run.__signature__ = signature.replace(parameters=shared)
        return run

    return decorate
