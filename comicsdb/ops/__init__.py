"""Operating a site: the production server, logs, metrics, jobs and backups."""
