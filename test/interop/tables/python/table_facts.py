"""What pyiceberg and DuckDB find in a table whose directory is its catalog."""

import glob
import json
import re
import sys

import duckdb
from duckdb_extensions import import_extension
from pyiceberg.table import StaticTable
from rows import to_rows

later = "2026-11-23T08:30:00+00:00"


def metadata_of(table):
    def version(path):
        return int(re.search(r"/v(\d+)\.metadata\.json$", path)[1])

    return max(glob.glob(f"{table}/metadata/v*.metadata.json"), key=version)


def by_pyiceberg(table, snapshot):
    read = StaticTable.from_metadata(metadata_of(table))
    hour = read.scan(row_filter=f"eventDate >= '{later}'")
    rows = read.scan().to_arrow().sort_by("id").to_pylist()
    return {
        # It has a list that is null as one without elements; each of an order has some.
        "rows": to_rows({name: value for name, value in row.items() if value != []} for row in rows),
        "before": read.scan(snapshot_id=snapshot).count(),
        "later": hour.count(),
        "filesRead": len(list(hour.plan_files())),
        "columns": [[field.field_id, field.name, str(field.field_type)] for field in read.schema().fields],
        "snapshots": [snapshot.snapshot_id for snapshot in read.snapshots()],
    }


def by_duckdb(table, snapshot):
    for name in ("avro", "iceberg"):
        import_extension(name)
    duckdb.sql("LOAD iceberg")
    found = duckdb.sql(f"FROM iceberg_scan('{table}') ORDER BY id")
    hour = f"SELECT id FROM iceberg_scan('{table}') WHERE eventDate >= TIMESTAMPTZ '{later}'"
    ((_, plan),) = duckdb.sql(f"EXPLAIN ANALYZE {hour}").fetchall()
    ((before,),) = duckdb.sql(f"SELECT count(*) FROM iceberg_scan('{table}', snapshot_from_id = {snapshot})").fetchall()
    described = duckdb.sql(f"DESCRIBE FROM iceberg_scan('{table}')").fetchall()
    return {
        "rows": to_rows(dict(zip(found.columns, row)) for row in found.fetchall()),
        "before": before,
        "later": len(duckdb.sql(hour)),
        "filesRead": int(re.search(r"Total Files Read: (\d+)", plan)[1]),
        "columns": [[name, kind] for name, kind, *_ in described],
    }


if __name__ == "__main__":
    table, snapshot = sys.argv[1], int(sys.argv[2])
    print(json.dumps({"pyiceberg": by_pyiceberg(table, snapshot), "duckdb": by_duckdb(table, snapshot)}))
