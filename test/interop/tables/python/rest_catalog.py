"""What pyiceberg and DuckDB find in a table of a REST catalog: rest_catalog.py URI NAMESPACE [ID]. With an id pyiceberg appends an order first."""

import json
import sys
from datetime import datetime, timezone

import duckdb
import pyarrow
from duckdb_extensions import import_extension
from pyiceberg.catalog import load_catalog

uri, namespace, *order = sys.argv[1:]


def load():
    return load_catalog("lake", type="rest", uri=uri).load_table(f"{namespace}.Order")


def append(order):
    table = load()
    row = {"eventDate": datetime(2026, 11, 24, 8, tzinfo=timezone.utc), "id": order}
    schema = pyarrow.schema([table.schema().as_arrow().field(name) for name in row])
    table.append(pyarrow.Table.from_pylist([row], schema=schema))


def by_pyiceberg():
    ids = load().scan().to_arrow()["id"].to_pylist()
    return {"rows": len(ids), "ids": len(set(ids)), "sum": str(sum(ids))}


def by_duckdb():
    for name in ("httpfs", "avro", "iceberg"):
        import_extension(name)
        duckdb.sql(f"LOAD {name}")
    duckdb.sql(f"ATTACH '' AS lake (TYPE iceberg, ENDPOINT '{uri}', AUTHORIZATION_TYPE 'none')")
    table = f'lake.{namespace}."Order"'
    found = duckdb.sql(f"SELECT count(*), count(DISTINCT id), sum(id)::VARCHAR FROM {table}").fetchone()
    return dict(zip(["rows", "ids", "sum"], found))


for id in order:
    append(int(id))
print(json.dumps({"pyiceberg": by_pyiceberg(), "DuckDB": by_duckdb()}))
