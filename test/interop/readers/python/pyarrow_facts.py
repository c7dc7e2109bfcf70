"""What pyarrow finds in the files."""

import datetime

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from rows import to_rows


def facts(events):
    def files(name):
        found = ds.dataset(f"{events}/{name}", partitioning="hive")
        schemas = [fragment.physical_schema for fragment in found.get_fragments()]
        every = pa.unify_schemas([*schemas, found.schema], promote_options="permissive")
        return ds.dataset(f"{events}/{name}", schema=every, partitioning="hive")

    def rows(name, order):
        return to_rows(files(name).to_table().sort_by(order).to_pylist())

    orders = files("Order").to_table()
    everything = files("Everything")
    big = everything.to_table(columns=["big"])["big"]
    hour = (ds.field("dt") == "2026-11-22") & (ds.field("hour") == 8)
    later = ds.field("eventDate") >= datetime.datetime(2026, 11, 23, 8, 30, tzinfo=datetime.timezone.utc)
    ids = orders["id"]
    sums = [len(orders), pc.sum(ids), pc.min(ids), pc.max(ids), pc.sum(orders["total"])]
    counts = [
        pc.count(orders["coupon"]),
        pc.count(pc.struct_field(orders["customer"], "since")),
        pc.sum(orders["paid"]),
        pc.sum(pc.list_value_length(orders["items"])),
    ]
    return {
        "orders": rows("Order", "id"),
        "everything": rows("Everything", "n"),
        "hits": rows("Hit", "eventDate"),
        "sums": [str(value) for value in sums],
        "counts": [str(value) for value in counts],
        "extremes": [str(value) for value in (pc.min(big), pc.max(big), pc.count(big), big.null_count)],
        "largest": [str(everything.count_rows(filter=ds.field("big") == 9223372036854775807))],
        "later": [str(files("Order").count_rows(filter=later))],
        "hour": {
            "rows": files("Order").count_rows(filter=hour),
            "filesRead": len(list(files("Order").get_fragments(hour))),
            "files": len(list(files("Order").get_fragments())),
        },
    }
