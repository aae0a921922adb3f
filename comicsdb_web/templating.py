"""How templates name one another."""

from jinja2.ext import Extension


class FromTheTop(Extension):
    """A template is named by its path from the folder of templates, or by an asset specification.

    pyramid_jinja2 would first look beside the template that names it, and therefore compile and keep each
    template once for every chain of names that leads to it.
    """

    def __init__(self, environment):
        super().__init__(environment)
        environment.join_path = lambda name, _parent: name
