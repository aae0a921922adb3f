"""The description as YAML, in a module of its own: PyYAML is slow to import, and few ask for it."""

import yaml


class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):
    """YAML without anchors, texts of several lines as they are read."""

    def ignore_aliases(self, data):  # noqa: ARG002  (PyYAML passes it)
        """Write repeated objects in full, without aliases."""
        return True


def _text(dumper: Dumper, text: str):
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


Dumper.add_representer(str, _text)


def to_yaml(value) -> bytes:
    """Plain values as YAML, keys in their order."""
    text = yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110)
    return text.encode()
