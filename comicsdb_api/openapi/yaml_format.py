"""The OpenAPI document as YAML; a separate module, as PyYAML is slow to import and seldom needed."""

import yaml


class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):
    """A dumper of YAML without anchors; strings of several lines are written as blocks."""

    def ignore_aliases(self, data):  # noqa: ARG002  (PyYAML passes it)
        """Write repeated objects in full, without aliases."""
        return True


def _text(dumper: Dumper, text: str):
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


Dumper.add_representer(str, _text)


def to_yaml(value) -> bytes:
    """Plain values as YAML, with keys in their original order."""
    text = yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110)
    return text.encode()
