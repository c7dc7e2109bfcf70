"""Writes the file of a seed, as one of several writers does it; gives back its name and the rows that it must have."""

import datetime
import decimal
import os
import random

import duckdb
import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

from forms import of_avro, of_scalar
from schemas import AvroSchemas, avro_value, table

ENCODINGS = {
    "INT32": ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"], "INT64": ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"],
    "FLOAT": ["PLAIN", "BYTE_STREAM_SPLIT"], "DOUBLE": ["PLAIN", "BYTE_STREAM_SPLIT"], "BOOLEAN": ["PLAIN", "RLE"],
    "BYTE_ARRAY": ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"], "FIXED_LEN_BYTE_ARRAY": ["PLAIN", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT"], "INT96": ["PLAIN"],
}


def write(seed, directory):
    """Returns (name, writer in words, rows), each row a list of (column, form)."""
    rng = random.Random(seed)
    writer = rng.choices([write_pyarrow, write_duckdb, write_avro], [6, 2, 2])[0]
    return writer(rng, seed, directory)


def write_pyarrow(rng, seed, directory):
    name = f"{seed}.parquet"
    path = os.path.join(directory, name)
    data = table(rng)
    options = {
        "compression": rng.choice(["none", "snappy", "gzip", "brotli", "zstd", "lz4"]),
        "data_page_version": rng.choice(["1.0", "2.0"]),
        "version": rng.choice(["1.0", "2.4", "2.6"]),
        "data_page_size": rng.choice([None, 10, 64, 1_000]),
        "dictionary_pagesize_limit": rng.choice([None, 100]),
        "write_batch_size": rng.choice([None, 1, 10]),
        "row_group_size": rng.choice([None, 1, 13, 100, 500]),
        "write_page_index": rng.random() < 0.3,
        "write_page_checksum": rng.random() < 0.3,
        "write_statistics": rng.random() < 0.8,
        "use_compliant_nested_type": rng.random() < 0.8,
        "store_decimal_as_integer": rng.random() < 0.4,
        "store_schema": rng.random() < 0.5,
        "use_deprecated_int96_timestamps": rng.random() < 0.1,
        "use_dictionary": rng.random() < 0.6,
    }
    # Beyond what nanoseconds of 64 bits hold, pyarrow reads another time than it wrote.
    if any(unit in str(data.schema) for unit in ("[s", "[ms", "[us")):
        options["use_deprecated_int96_timestamps"] = False
    # The older versions hold no nanoseconds.
    if "[ns" in str(data.schema) and not options["use_deprecated_int96_timestamps"]:
        options["version"] = "2.6"
    if data.num_rows > 50 and options["row_group_size"] in (1, 13):
        options["row_group_size"] = 100 if data.num_rows < 1_000 else 500
    if not options["use_dictionary"] and rng.random() < 0.7:
        options["column_encoding"] = encodings(rng, data, options)
    pq.write_table(data, path, **{key: one for key, one in options.items() if one is not None})
    return name, f"pyarrow {options} {data.schema}", read_pyarrow(path)


def encodings(rng, data, options):
    """An encoding for each leaf, by its physical type."""
    empty = pa.BufferOutputStream()
    try:
        with pq.ParquetWriter(empty, data.schema, version=options["version"], use_compliant_nested_type=options["use_compliant_nested_type"]):
            pass
    except pa.ArrowNotImplementedError:
        return None
    schema = pq.ParquetFile(pa.BufferReader(empty.getvalue())).schema
    leaves = [schema.column(i) for i in range(len(schema.names))]
    # Paths with a dot in a name cannot be told apart.
    if any("." in name for name in data.column_names) or len({leaf.path for leaf in leaves}) < len(leaves):
        return None
    return {leaf.path: rng.choice(ENCODINGS[leaf.physical_type]) for leaf in leaves}


def read_pyarrow(path):
    file = pq.ParquetFile(path)
    data = file.read()
    if data.num_rows != file.metadata.num_rows:
        # pyarrow 26 reads no rows of some maps whose keys are DELTA_BYTE_ARRAY.
        raise ValueError(f"pyarrow reads {data.num_rows} rows of {file.metadata.num_rows}")
    # Impala does not mark its texts, and its files are shown as texts all the same.
    return to_rows(data, are_bytes_text=str(file.metadata.created_by).startswith("impala"))


def to_rows(data, are_bytes_text=False):
    if are_bytes_text:
        for i, field in enumerate(data.schema):
            if pa.types.is_binary(field.type):
                data = data.set_column(i, field.name, data.column(i).cast(pa.string()))
    columns = [[of_scalar(one) for one in column] for column in data.columns]
    return [list(zip(data.column_names, row)) for row in zip(*columns)] if columns else []


DUCKDB_TYPES = ["BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT", "DOUBLE", "DECIMAL(4,1)",
    "DECIMAL(9,3)", "DECIMAL(18,6)", "DECIMAL(38,9)", "VARCHAR", "BLOB", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ", "UUID"]


def write_duckdb(rng, seed, directory):
    name = f"{seed}.parquet"
    path = os.path.join(directory, name)
    kinds = [duckdb_type(rng) for _ in range(rng.randint(1, 5))]
    rows = rng.choice([0, 1, 30, 3_000])
    columns = ", ".join(f"{duckdb_value(rng, kind)} AS c{i}" for i, kind in enumerate(kinds))
    codec = rng.choice(["uncompressed", "snappy", "gzip", "zstd", "lz4_raw", "brotli"])
    version = rng.choice(["V1", "V2"])
    group = rng.choice([2_048, 122_880])
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1; SET TimeZone = 'UTC'")
        connection.execute(f"SELECT setseed({rng.uniform(-1, 1)})")
        connection.execute(f"COPY (SELECT {columns} FROM range({rows}) AS r(i)) TO '{path}' (FORMAT parquet, COMPRESSION {codec}, PARQUET_VERSION {version}, ROW_GROUP_SIZE {group})")
        data = connection.sql(f"FROM read_parquet('{path}')").to_arrow_table()
    return name, f"DuckDB {codec} {version} {group} {kinds}", to_rows(data)


def duckdb_type(rng, depth=0):
    roll = rng.random()
    if depth >= 2 or roll < 0.7:
        return rng.choice(DUCKDB_TYPES)
    if roll < 0.85:
        return [duckdb_type(rng, depth + 1)]
    return {f"m{i}": duckdb_type(rng, depth + 1) for i in range(rng.randint(1, 3))}


def duckdb_value(rng, kind):
    """An expression over the number `i` of a row."""
    if isinstance(kind, list):
        one, other = duckdb_value(rng, kind[0]), duckdb_value(rng, kind[0])
        return f"CASE i % 4 WHEN 0 THEN [] WHEN 1 THEN NULL WHEN 2 THEN [{one}] ELSE [{one}, {other}, {one}] END"
    if isinstance(kind, dict):
        return "{" + ", ".join(f"'{name}': {duckdb_value(rng, one)}" for name, one in kind.items()) + "}"
    number = f"((i * {rng.randint(1, 97)} + {rng.randint(0, 50)}) % {rng.choice([2, 50, 100])})"
    expression = {
        "BOOLEAN": f"{number} % 2 = 0", "VARCHAR": f"'text ' || {number} || chr(233) || chr(128512)", "BLOB": f"encode('b' || {number})",
        "DATE": f"DATE '1970-01-01' + CAST({number} * 300 - 9000 AS INTEGER)", "TIME": f"TIME '00:00:00' + to_microseconds({number} * 863999999)",
        "TIMESTAMP": f"TIMESTAMP '1969-12-31' + to_microseconds({number} * 12345678901)", "TIMESTAMP_MS": f"CAST(TIMESTAMP '1969-12-31' + to_milliseconds({number} * 12345678) AS TIMESTAMP_MS)",
        "TIMESTAMP_NS": f"make_timestamp_ns({number} * 1234567890123)", "TIMESTAMPTZ": f"TIMESTAMPTZ '2000-01-01 00:00:00+00' + to_microseconds({number} * 98765432)",
        "UUID": f"CAST(md5('u' || {number}) AS UUID)", "FLOAT": f"CAST({number} AS FLOAT) / 7", "DOUBLE": f"CAST({number} AS DOUBLE) / 7",
    }.get(kind)
    if expression is None:
        expression = f"CAST({number} / 10.0 AS {kind})" if kind.startswith("DECIMAL") else f"CAST({number} AS {kind})"
    return f"CASE WHEN i % {rng.randint(3, 11)} = 0 THEN NULL ELSE {expression} END"


def write_avro(rng, seed, directory):
    name = f"{seed}.avro"
    path = os.path.join(directory, name)
    schemas = AvroSchemas(rng)
    schema = schemas.record()
    records = [avro_value(rng, schema) for _ in range(rng.choice([0, 1, 5, 200]))]
    codec = rng.choice(["null", "deflate", "snappy", "zstandard", "bzip2"])
    parsed = fastavro.parse_schema(schema)
    interval = rng.choice([1, 100, 16_000])
    with open(path, "wb") as file:
        fastavro.writer(file, parsed, records, codec=codec, sync_interval=interval)
    return name, f"fastavro {codec} {interval} {schema}", read_fastavro(path, schema)


def read_fastavro(path, schema=None):
    """By the schema of the file, where none is given. Values that are no records have one column."""
    with open(path, "rb") as file:
        reader = fastavro.reader(file)
        schema = schema or reader.writer_schema
        named = {}
        collect(schema, named)
        forms = [of_avro(record, schema, named) for record in reader]
    return [form[1] if isinstance(form, tuple) and form[0] == "object" else [("value", form)] for form in forms]


def collect(schema, named):
    if isinstance(schema, list):
        for one in schema:
            collect(one, named)
    elif isinstance(schema, dict):
        if "name" in schema:
            named[schema["name"]] = schema
        for field in schema.get("fields", []):
            collect(field["type"], named)
        for key in ("items", "values"):
            if key in schema:
                collect(schema[key], named)
