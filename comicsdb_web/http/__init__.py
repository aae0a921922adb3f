"""HTTP for pages: routes, sessions, CSRF, security headers, assets and flash messages."""
