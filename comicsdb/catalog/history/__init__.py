"""History: snapshots of objects, the change log, differences between versions, and reverting."""
