"""
Makes a table of narrow numbers as another writer, pyiceberg, with one row: narrow_table.py TABLE. Prints the id of its snapshot.
Files are put apart by the hour, as those of the collector; the column `rank` is what rows are sorted by.
"""

import os
import sys
import tempfile
from datetime import datetime, timezone

import pyarrow
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.sorting import SortField, SortOrder
from pyiceberg.transforms import HourTransform, IdentityTransform
from pyiceberg.types import FloatType, IntegerType, ListType, LongType, NestedField, StructType, TimestamptzType

table = sys.argv[1]
catalog = SqlCatalog("other", uri=f"sqlite:///{tempfile.mkdtemp()}/catalog.db")
catalog.create_namespace("events")
made = catalog.create_table(
    "events.narrow",
    Schema(
        NestedField(1, "eventDate", TimestamptzType()),
        NestedField(2, "id", LongType()),
        NestedField(3, "count", IntegerType()),
        NestedField(4, "ratio", FloatType()),
        NestedField(5, "part", StructType(NestedField(8, "x", IntegerType()))),
        NestedField(6, "counts", ListType(9, IntegerType(), element_required=False)),
        NestedField(7, "rank", IntegerType()),
    ),
    location=f"file://{table}",
    partition_spec=PartitionSpec(PartitionField(1, 1000, HourTransform(), "eventDate_hour")),
    sort_order=SortOrder(SortField(7, IdentityTransform())),
)
row = {
    "eventDate": datetime(2026, 11, 23, 7, tzinfo=timezone.utc),
    "id": 1,
    "count": 7,
    "ratio": 0.1,
    "part": {"x": 8},
    "counts": [9],
    "rank": 10,
}
made.append(pyarrow.Table.from_pylist([row], schema=made.schema().as_arrow()))
os.link(made.metadata_location.removeprefix("file://"), f"{table}/metadata/v1.metadata.json")
print(made.current_snapshot().snapshot_id)
