"""Rendering: templates, languages, layout, the page cache, charts and feeds."""
