"""Appends an order to the table as another writer, pyiceberg."""

import sys
from datetime import datetime, timezone

import pyarrow
from other_catalog import publish, register

table, order = sys.argv[1], int(sys.argv[2])
registered = register(table)
row = {"eventName": "Order", "eventDate": datetime(2026, 11, 24, 8, tzinfo=timezone.utc), "id": order}
schema = pyarrow.schema([registered.schema().as_arrow().field(name) for name in row])
registered.append(pyarrow.Table.from_pylist([row], schema=schema))
publish(table, registered)
print(registered.current_snapshot().snapshot_id)
