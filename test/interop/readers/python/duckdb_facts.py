"""What DuckDB finds in the files."""

import re

import duckdb
from rows import to_rows


def facts(events):
    def files(name):
        return f"read_parquet('{events}/{name}/**/*.parquet', union_by_name = true)"

    def rows(name, order):
        found = duckdb.sql(f"FROM {files(name)} ORDER BY {order}")
        return to_rows(dict(zip(found.columns, row)) for row in found.fetchall())

    def one(query):
        (row,) = duckdb.sql(query).fetchall()
        return [str(value) for value in row]

    hour = f"SELECT id FROM {files('Order')} WHERE dt = '2026-11-22' AND hour = '08'"
    ((_, plan),) = duckdb.sql(f"EXPLAIN ANALYZE {hour}").fetchall()
    read, every = re.search(r"Scanning Files: (\d+)/(\d+)", plan).groups()
    return {
        "orders": rows("Order", "id"),
        "everything": rows("Everything", "n"),
        "hits": rows("Hit", "eventDate"),
        "sums": one(f"SELECT count(*), sum(id), min(id), max(id), sum(total) FROM {files('Order')}"),
        "counts": one(
            f"""SELECT count(coupon), count(customer.since), count(*) FILTER (paid), sum(len(items))
            FROM {files("Order")}"""
        ),
        "extremes": one(f"SELECT min(big), max(big), count(big), count(*) - count(big) FROM {files('Everything')}"),
        "largest": one(f"SELECT count(*) FROM {files('Everything')} WHERE big = 9223372036854775807"),
        "later": one(f"SELECT count(*) FROM {files('Order')} WHERE eventDate >= TIMESTAMPTZ '2026-11-23 08:30:00Z'"),
        "hour": {"rows": len(duckdb.sql(hour)), "filesRead": int(read), "files": int(every)},
    }
