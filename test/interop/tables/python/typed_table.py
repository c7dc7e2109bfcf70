"""
typed_table.py make TABLE: files of one hour with columns of every type that a table can have, as pyarrow writes them.
typed_table.py rows TABLE: its rows as pyiceberg and DuckDB have them, one text for each row, and how many files it has.
"""

import datetime
import decimal
import glob
import json
import os
import random
import re
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from duckdb_extensions import import_extension
from pyiceberg.table import StaticTable

work, table = sys.argv[1:]
start = datetime.datetime(2026, 11, 22, 8, tzinfo=datetime.timezone.utc)


def columns_of(number):
    # Columns of the first files are narrower, and fewer.
    is_late = number > 2
    item = pa.struct([("sku", pa.string()), ("sizes", pa.list_(pa.int64() if is_late else pa.int32()))])
    fields = [
        pa.field("id", pa.int64(), nullable=number % 2 == 0),
        pa.field("eventDate", pa.timestamp("us" if is_late else "ms", tz="UTC"), nullable=number % 2 == 1),
        pa.field("n", pa.int64() if is_late else pa.int32()),
        pa.field("f", pa.float64() if is_late else pa.float32()),
        pa.field("flag", pa.bool_()),
        pa.field("small", pa.decimal128(7, 2)),
        pa.field("medium", pa.decimal128(17, 4)),
        pa.field("large", pa.decimal128(38, 10)),
        pa.field("day", pa.date32()),
        pa.field("local", pa.timestamp("us")),
        pa.field("text", pa.string()),
        pa.field("raw", pa.binary()),
        pa.field("five", pa.binary(5)),
        pa.field("items", pa.list_(item)),
        pa.field("lookup", pa.map_(pa.string(), pa.list_(pa.float32()))),
        pa.field("deep", pa.list_(pa.list_(pa.string()))),
    ]
    return fields + ([pa.field("later", pa.struct([("a", pa.int32()), ("b", pa.list_(pa.string()))]))] if is_late else [])


def value_of(kind, chance):
    if chance.random() < 0.2:
        return None
    if pa.types.is_struct(kind):
        return {field.name: value_of(field.type, chance) for field in kind}
    if pa.types.is_map(kind):
        return [(f"k{key}", value_of(kind.item_type, chance)) for key in range(chance.randrange(4))]
    if pa.types.is_list(kind):
        return [value_of(kind.value_type, chance) for _ in range(chance.randrange(4))]
    if pa.types.is_decimal(kind):
        digits = chance.randrange(-(10**kind.precision) + 1, 10**kind.precision)
        return decimal.Decimal(digits).scaleb(-kind.scale, decimal.Context(prec=40))
    if pa.types.is_integer(kind):
        return chance.choice([0, -1, 2 ** (kind.bit_width - 1) - 1, -(2 ** (kind.bit_width - 1)), chance.randrange(100)])
    if pa.types.is_floating(kind):
        return chance.choice([0.0, -0.0, 0.5, float("nan"), float("inf"), float("-inf"), 2.0**-149, 0.1])
    if pa.types.is_boolean(kind):
        return chance.random() < 0.5
    if pa.types.is_date(kind):
        return datetime.date(1960, 1, 1) + datetime.timedelta(days=chance.randrange(40_000))
    if pa.types.is_timestamp(kind):
        return datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999) + datetime.timedelta(microseconds=chance.randrange(10**15))
    if pa.types.is_fixed_size_binary(kind):
        return chance.randbytes(kind.byte_width)
    if pa.types.is_binary(kind):
        return chance.randbytes(chance.randrange(9))
    return chance.choice(["", "ä€😀", "x" * chance.randrange(40), "Ada"])


def make():
    chance = random.Random(5)
    for number in range(6):
        schema = pa.schema(columns_of(number))
        rows = []
        for row in range(60):
            made = {field.name: value_of(field.type, chance) for field in schema}
            made["id"] = number * 1_000 + row
            made["eventDate"] = start + datetime.timedelta(milliseconds=chance.randrange(3_600_000))
            rows.append(made)
        if number % 2 == 0:
            rows.sort(key=lambda made: made["eventDate"])
        os.makedirs(f"{table}/hour=08", exist_ok=True)
        pq.write_table(
            pa.Table.from_pylist(rows, schema=schema),
            f"{table}/hour=08/{number}.parquet",
            compression=["snappy", "zstd", "gzip"][number % 3],
            data_page_version=["1.0", "2.0"][number % 2],
            use_dictionary=number % 2 == 0,
            column_encoding=None if number % 2 == 0 else {"id": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY"},
            row_group_size=25,
            data_page_size=200,
        )


def newest():
    return max(glob.glob(f"{table}/metadata/v*.metadata.json"), key=lambda path: int(re.search(r"/v(\d+)\.", path)[1]))


def rows():
    read = StaticTable.from_metadata(newest())
    by_pyiceberg = read.scan().to_arrow().sort_by("id").to_pylist()
    for name in ("avro", "iceberg"):
        import_extension(name)
    duckdb.sql("LOAD iceberg")
    by_duckdb = duckdb.sql(f"SELECT * FROM iceberg_scan('{table}') ORDER BY id").fetchall()
    print(
        json.dumps(
            {
                "pyiceberg": [repr(row) for row in by_pyiceberg],
                "duckdb": [repr(row) for row in by_duckdb],
                "files": [task.file.file_path for task in read.scan().plan_files()],
                "operation": str(read.current_snapshot().summary.operation.value),
            }
        )
    )


make() if work == "make" else rows()
