"""Lists: filters, pages and cards."""
