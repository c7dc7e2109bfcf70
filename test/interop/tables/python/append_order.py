"""Appends an order to the table as another writer: pyiceberg, which keeps tables in a catalog of its own, and so makes metadata
that is then given the next version of the directory."""

import os
import re
import sys
import tempfile
from datetime import datetime, timezone

import pyarrow
from pyiceberg.catalog.sql import SqlCatalog
from table_facts import metadata_of

table, order = sys.argv[1], int(sys.argv[2])
path = metadata_of(table)
catalog = SqlCatalog("other", uri=f"sqlite:///{tempfile.mkdtemp()}/catalog.db")
catalog.create_namespace("events")
registered = catalog.register_table("events.orders", path)
row = {"eventName": "Order", "eventDate": datetime(2026, 11, 24, 8, tzinfo=timezone.utc), "id": order}
schema = pyarrow.schema([registered.schema().as_arrow().field(name) for name in row])
registered.append(pyarrow.Table.from_pylist([row], schema=schema))
version = int(re.search(r"v(\d+)\.metadata\.json$", path)[1])
os.link(registered.metadata_location.removeprefix("file://"), f"{table}/metadata/v{version + 1}.metadata.json")
print(registered.current_snapshot().snapshot_id)
