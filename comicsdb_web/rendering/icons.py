"""Our own drawings, 24 by 24, in the colour of the text around them."""

from collections.abc import Mapping

from markupsafe import Markup

# The contents of each SVG; the icons of kinds are in their views.
DRAWINGS = {
    "search": '<circle cx="10.5" cy="10.5" r="6.5"/><path d="m15.5 15.5 5 5"/>',
    "menu": '<path d="M4 7h16M4 12h16M4 17h16"/>',
    "down": '<path d="m6 9.5 6 6 6-6"/>',
    "up": '<path d="m6 14.500 6-6 6 6"/>',
    "left": '<path d="m14.5 5.5-6.5 6.5 6.5 6.5"/>',
    "right": '<path d="m9.5 5.5 6.5 6.5-6.5 6.5"/>',
    "plus": '<path d="M12 5v14M5 12h14"/>',
    "close": '<path d="m6 6 12 12M18 6 6 18"/>',
    "check": '<path d="m5 12.5 4.5 5L19 7"/>',
    "up_to": '<path d="M4 20.500h16M12 4v12M7 11.500l5 5 5-5"/>',
    "copy": (
        '<rect x="8.5" y="8.5" width="11" height="12" rx="2"/>'
        '<path d="M15.5 8.5V5.5a2 2 0 0 0-2-2h-7a2 2 0 0 0-2 2v9a2 2 0 0 0 2 2h2"/>'
    ),
    "external": (
        '<path d="M13.5 4.5h6v6M19.5 4.5l-9 9M17 14.5v3a2 2 0 0 1-2 2H6.500a2 2 0 0 1-2-2V9a2 2 0 0 1'
        ' 2-2h3"/>'
    ),
    "zoom": '<circle cx="10.5" cy="10.5" r="6.5"/><path d="m15.5 15.5 5 5M10.5 8v5M8 10.500h5"/>',
    "system": '<rect x="3.5" y="4.5" width="17" height="11.5" rx="2"/><path d="M8.5 20h7M12 16v4"/>',
    "light": (
        '<circle cx="12" cy="12" r="4"/>'
        '<path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.400M18.4 5.6 17 7M7 17l-1.4 1.4"/>'
    ),
    "dark": '<path d="M19.5 14.200A8 8 0 1 1 9.8 4.500a6.3 6.3 0 0 0 9.7 9.700Z"/>',
    "user": '<circle cx="12" cy="8.5" r="4"/><path d="M4.5 20.500c.8-4 3.7-6 7.5-6s6.7 2 7.5 6"/>',
    "logout": '<path d="M13 4.500H7a2 2 0 0 0-2 2v11a2 2 0 0 0 2 2h6M10 12h10M16.5 8.5 20 12l-3.5 3.5"/>',
    "key": '<circle cx="8" cy="15.5" r="4.5"/><path d="m11.5 12.5 8-8M16 8l3 3M13.5 10.500l2 2"/>',
    "lock": (
        '<rect x="5" y="10.5" width="14" height="10" rx="2"/>'
        '<path d="M8 10.500V8a4 4 0 0 1 8 0v2.500M12 14.500v2"/>'
    ),
    "mail": '<rect x="3.5" y="5.5" width="17" height="13" rx="2"/><path d="m4 7 8 6 8-6"/>',
    "device": (
        '<rect x="3.5" y="5" width="13" height="10" rx="1.5"/><path d="M6.5 19h5M9 15v4"/>'
        '<rect x="15.5" y="10" width="5.5" height="10" rx="1"/>'
    ),
    "download": '<path d="M12 4v11M7.5 11l4.5 4.500 4.500-4.500M4.5 19.500h15"/>',
    "trash": '<path d="M4.5 7h15M9.5 7V4.500h5V7M6.500 7l1 13h9l1-13M10.200 10.500v6M13.800 10.500v6"/>',
    "warning": '<path d="M12 4 2.500 20h19L12 4ZM12 10v4.500M12 17.300v.01"/>',
    "edit": (
        '<path d="m5 19 1-4.500L16 4.500a1.800 1.800 0 0 1 2.500 0l1 1a1.800 1.800 0 0 1 0 2.500L9.500 18'
        ' 5 19ZM14 6.500l3.500 3.500"/>'
    ),
    "grid": (
        '<rect x="4" y="4" width="6.5" height="7.5" rx="1"/>'
        '<rect x="13.5" y="4" width="6.5" height="7.5" rx="1"/>'
        '<rect x="4" y="14.5" width="6.5" height="5.5" rx="1"/>'
        '<rect x="13.5" y="14.5" width="6.5" height="5.5" rx="1"/>'
    ),
    "code": '<path d="m8.5 7.5-5 4.5 5 4.500M15.5 7.500l5 4.5-5 4.500M13.5 5l-3 14"/>',
    "globe": (
        '<circle cx="12" cy="12" r="8.5"/>'
        '<path d="M3.5 12h17M12 3.500c2.5 2.3 3.7 5.2 3.7 8.500s-1.2 6.2-3.7'
        ' 8.500c-2.5-2.3-3.7-5.2-3.7-8.500S9.5 5.8 12 3.500Z"/>'
    ),
    "book": (
        '<path d="M12 6.500C10 5 7.3 4.5 4 4.500v13c3.3 0 6 .5 8 2 2-1.5 4.7-2 8-2v-13c-3.3 0-6 .5-8 2ZM12'
        ' 6.500v13"/>'
    ),
    "shield": (
        '<path d="M12 3.500 5 6v5.500c0 4.500 2.800 7.500 7 9 4.200-1.500 7-4.500 7-9V6l-7-2.500ZM9'
        ' 12l2.200 2.200L15 10"/>'
    ),
    "bell": (
        '<path d="M6.500 16.500v-5.500a5.500 5.500 0 0 1 11 0v5.500l1.500 2H5l1.500-2ZM10 18.500a2 2 0 0 0'
        ' 4 0"/>'
    ),
    "gauge": '<path d="M4.500 17.500a8.500 8.500 0 1 1 15 0M12 14.500l4-5M12 14.500v.01"/>',
    "barcode": '<path d="M4 6v12M7.500 6v12M10.500 6v12M13 6v12M16.500 6v12M20 6v12"/>',
    "list": (
        '<path d="M8.500 6.500h11M8.500 12h11M8.500 17.500h11M4.500 6.500v.01M4.500 12v.01M4.500'
        ' 17.500v.01"/>'
    ),
    "megaphone": (
        '<path d="M4 10v4.500h3L17 19V5.500L7 10H4ZM7.500 14.500l1.500 5h2.500l-1.500-4.300M20'
        ' 10.500v3.500"/>'
    ),
    "heart": (
        '<path d="M12 19.500C6.5 15.7 4 12.7 4 9.400A4.2 4.2 0 0 1 8.2 5c1.6 0 3 .8 3.8 2.300C12.8 5.8'
        ' 14.2 5 15.8 5A4.2 4.2 0 0 1 20 9.400c0 3.3-2.5 6.3-8 10.100Z"/>'
    ),
    "undo": '<path d="M8.500 5 4.500 9l4 4M5 9h9a5.500 5.500 0 0 1 0 11H8"/>',
}


class Icons:
    """The template functions that draw icons, given the views of all kinds by name."""

    def __init__(self, kind_views: Mapping):
        self._kind_views = kind_views

    def drawing(self, name: str) -> Markup:
        """The contents of the SVG of an icon or a kind."""
        return Markup(DRAWINGS.get(name) or self._kind_views[name].icon)  # noqa: S704

    def icon(self, name: str, css_class: str = "icon") -> Markup:
        """The icon with a name, or of a kind."""
        return Markup(  # noqa: S704
            f'<svg class="{css_class}" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"'
            f' focusable="false">{self.drawing(name)}</svg>'
        )
