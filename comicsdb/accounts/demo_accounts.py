"""The accounts of the demo: their names, and their public passwords and tokens."""

NAMES = ("admin", "editor", "reader", "Metron", "ashtonic", "bedephile", "carruggi89", "tankobon")


def password(name: str) -> str:
    """The password of a demo account."""
    return f"demo-{name}-pass"


def token(name: str) -> str:
    """The API token of a demo account."""
    return f"demo-{name}-token"


# Accepted in demonstrations only.
PUBLIC_SECRETS = frozenset(make(name) for name in NAMES for make in (password, token))
