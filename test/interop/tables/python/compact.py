"""
Another writer of the table, pyiceberg: compact.py TABLE WHAT…. `compact` puts all rows into one file; `forget` lets all snapshots but
the last expire, and removes no file. Prints the ids of all rows, in order.
"""

import json
import sys
from datetime import datetime, timezone

from other_catalog import publish, register

table, *works = sys.argv[1:]
registered = register(table)
if "compact" in works:
    registered.overwrite(registered.scan().to_arrow())
if "forget" in works:
    registered.maintenance.expire_snapshots().older_than(datetime.now(timezone.utc)).commit()
    registered.refresh()
if works:
    publish(table, registered)
print(json.dumps(sorted(row["id"] for row in registered.scan().to_arrow().to_pylist())))
