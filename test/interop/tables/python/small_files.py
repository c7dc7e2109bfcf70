"""
small_files.py make DIRECTORY: small files of every type that pyarrow writes, below `parquet`, `int96` and `json`.
small_files.py rows DIRECTORY: their rows as pyarrow and DuckDB have them, one text for each, and what filters find, which go by bounds.
"""

import datetime
import decimal
import glob
import gzip
import json
import os
import random
import sys

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

work, directory = sys.argv[1:]
utc = datetime.timezone.utc

fields = [
    pa.field("eventDate", pa.timestamp("ms", tz="UTC")),
    *[pa.field(f"{kind}", kind) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())],
    *[pa.field(f"{kind}", kind) for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())],
    pa.field("half", pa.float16()),
    pa.field("single", pa.float32()),
    pa.field("double", pa.float64()),
    pa.field("flag", pa.bool_()),
    pa.field("small", pa.decimal128(7, 2)),
    pa.field("large", pa.decimal128(38, 10)),
    pa.field("day", pa.date32()),
    pa.field("clock", pa.time32("ms")),
    pa.field("micros", pa.time64("us")),
    pa.field("nanos", pa.timestamp("ns")),
    pa.field("zoned", pa.timestamp("us", tz="Europe/Berlin")),
    pa.field("text", pa.string(), nullable=False),
    pa.field("wide", pa.large_string()),
    pa.field("word", pa.dictionary(pa.int32(), pa.string())),
    pa.field("raw", pa.binary()),
    pa.field("five", pa.binary(5)),
    pa.field("items", pa.list_(pa.struct([("sku", pa.string()), ("sizes", pa.list_(pa.int16()))]))),
    pa.field("lookup", pa.map_(pa.string(), pa.list_(pa.float32()))),
    pa.field("a,b", pa.struct([("c.d", pa.uint32()), ("e", pa.struct([("f", pa.string())]))])),
]


def value_of(kind, chance, is_nullable=True):
    if is_nullable and chance.random() < 0.2:
        return None
    if pa.types.is_dictionary(kind):
        return chance.choice(["red", "green"])
    if pa.types.is_struct(kind):
        return {field.name: value_of(field.type, chance) for field in kind}
    if pa.types.is_map(kind):
        return [(f"k{key}", value_of(kind.item_type, chance)) for key in range(chance.randrange(4))]
    if pa.types.is_list(kind):
        return [value_of(kind.value_type, chance) for _ in range(chance.randrange(4))]
    if pa.types.is_decimal(kind):
        digits = chance.randrange(-(10**kind.precision) + 1, 10**kind.precision)
        return decimal.Decimal(digits).scaleb(-kind.scale, decimal.Context(prec=40))
    if pa.types.is_unsigned_integer(kind):
        return chance.choice([0, 2**kind.bit_width - 1, 2 ** (kind.bit_width - 1), chance.randrange(100)])
    if pa.types.is_integer(kind):
        return chance.choice([0, -1, 2 ** (kind.bit_width - 1) - 1, -(2 ** (kind.bit_width - 1)), chance.randrange(100)])
    if pa.types.is_float16(kind):
        import numpy

        return numpy.float16(chance.choice([0.0, -0.5, 1.5]))
    if pa.types.is_floating(kind):
        return chance.choice([0.0, -0.0, 0.5, float("nan"), float("inf"), 2.0**-149])
    if pa.types.is_boolean(kind):
        return chance.random() < 0.5
    if pa.types.is_date(kind):
        return datetime.date(1960, 1, 1) + datetime.timedelta(days=chance.randrange(40_000))
    if pa.types.is_time(kind):
        return datetime.time(chance.randrange(24), 59, 1, chance.randrange(1000) * 1000)
    if pa.types.is_timestamp(kind):
        date = datetime.datetime(2026, 11, 20, 8) + datetime.timedelta(milliseconds=chance.randrange(3_600_000))
        return date.replace(tzinfo=utc) if kind.tz else date
    if pa.types.is_fixed_size_binary(kind):
        return chance.randbytes(kind.byte_width)
    if pa.types.is_binary(kind):
        return chance.randbytes(chance.randrange(9))
    return chance.choice(["", "ä€😀", "x" * chance.randrange(40), "Ada"])


def make():
    chance = random.Random(11)
    schema = pa.schema(fields)
    for name in ("parquet", "int96", "json"):
        os.makedirs(f"{directory}/{name}")
    for number in range(5):
        rows = [{f.name: value_of(f.type, chance, f.nullable) for f in schema} for _ in range(chance.randrange(1, 60))]
        table = pa.Table.from_pylist(rows, schema=schema)
        how = {"compression": chance.choice(["snappy", "zstd", "none", "gzip"]), "row_group_size": 17}
        pq.write_table(table, f"{directory}/parquet/{number}.parquet", **how)
        times = table.select(["nanos", "text"])
        pq.write_table(times, f"{directory}/int96/{number}.parquet", use_deprecated_int96_timestamps=True)
        with gzip.open(f"{directory}/json/{number}.json.gz", "wt", encoding="utf-8") as lines:
            for row in rows:
                lines.write(json.dumps({"text": row["text"], "n": row["int64"]}, ensure_ascii=False) + "\n")


def to_texts(rows):
    return sorted(repr(row) for row in rows)


def rows():
    connection = duckdb.connect()
    facts = {"pyarrow": {}, "duckdb": {}, "files": {}}
    for name in ("parquet", "int96"):
        files = sorted(glob.glob(f"{directory}/{name}/*.parquet"))
        tables = [pq.read_table(file) for file in files]
        facts["files"][name] = len(files)
        facts["pyarrow"][name] = to_texts(row for table in tables for row in table.to_pylist())
        facts["pyarrow"][f"{name} schema"] = str(tables[0].schema)
        found = connection.execute("select * from read_parquet(?)", [files])
        facts["duckdb"][name] = to_texts(found.fetchall())
    files = sorted(glob.glob(f"{directory}/json/*"))
    facts["files"]["json"] = len(files)
    facts["duckdb"]["json"] = to_texts(connection.execute("select * from read_json(?)", [files]).fetchall())
    parquet = ds.dataset(f"{directory}/parquet")
    high = {"uint8": 200, "uint16": 60_000, "uint32": 3_000_000_000, "uint64": 2**63, "int64": 99, "text": "a"}
    for column, least in high.items():
        count = parquet.filter(pc.field(column) > pa.scalar(least, parquet.schema.field(column).type)).count_rows()
        facts["pyarrow"][f"{column} > {least}"] = [str(count)]
        query = f"select count(*) from read_parquet('{directory}/parquet/*.parquet') where \"{column}\" > ?"
        facts["duckdb"][f"{column} > {least}"] = [str(connection.execute(query, [least]).fetchone()[0])]
    print(json.dumps(facts))


make() if work == "make" else rows()
