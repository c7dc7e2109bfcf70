"""
Makes tables that change at random, as directories that are their own catalogs: random_tables.py DIRECTORY SEED COUNT. Prints for
each, as a line of JSON, its rows as pyiceberg has them (and their number as DuckDB has it), and which of them some comparisons match.
"""

import base64
import datetime
import decimal
import json
import math
import random
import shutil
import sys
import uuid
import warnings
from pathlib import Path

import duckdb
import numpy
import pyarrow
import pyarrow.parquet
from duckdb_extensions import import_extension
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.expressions import EqualTo
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import parse_transform
from pyiceberg.typedef import Record
from pyiceberg.types import (
    BinaryType, BooleanType, DateType, DecimalType, DoubleType, FixedType, FloatType, IntegerType, ListType, LongType, MapType,
    NestedField, StringType, StructType, TimestampType, TimestamptzType, TimeType, UUIDType,
)

warnings.simplefilter("ignore")
directory, seed, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
epoch = datetime.datetime(1970, 1, 1)
texts = ["", "a", "b", "ab", "äöü", "2026-11-22", "7", "true", "a text that is longer than bounds are", "a text that is longer than", "\U0010ffff" * 20, "z" * 40, "\uffff" * 20, 'a "quote"', "null"]


def some_int(bits):
    return chance.choice([0, 1, -1, 7, chance.randrange(-50, 50), 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), chance.randrange(-(2 ** (bits - 1)), 2 ** (bits - 1))])


def some_float():
    return chance.choice([0.0, -0.0, 1.5, -1.5, 0.1, math.nan, math.inf, -math.inf, 1e-40, chance.uniform(-10, 10)])


def some_time():
    # Some before 1970.
    return epoch + datetime.timedelta(microseconds=chance.choice([0, -1, 1, 3_600_000_000, -3_600_000_001, chance.randrange(-(10**14), 2 * 10**15)]))


def some_decimal(kind):
    # Not up to the limit: a transform may round away from zero.
    digits = 10 ** (kind.precision - 1) - 1
    number = chance.choice([0, 1, -1, digits, -digits, chance.randrange(-1000, 1000)])
    with decimal.localcontext(prec=40):
        return decimal.Decimal(number).scaleb(-kind.scale)


def some(kind):
    """A value of a type, or None."""
    if chance.random() < 0.2:
        return None
    match kind:
        case BooleanType():
            return chance.random() < 0.5
        case IntegerType():
            return some_int(32)
        case LongType():
            return some_int(64)
        case FloatType():
            return float(numpy.float32(some_float()))
        case DoubleType():
            return some_float()
        case DecimalType():
            return some_decimal(kind)
        case DateType():
            return some_time().date()
        case TimeType():
            return some_time().time()
        case TimestampType():
            return some_time()
        case TimestamptzType():
            return some_time().replace(tzinfo=datetime.timezone.utc)
        case StringType():
            return chance.choice(texts)
        case UUIDType():
            return uuid.UUID(int=chance.getrandbits(128)).bytes
        case FixedType():
            return chance.randbytes(len(kind))
        case BinaryType():
            return chance.randbytes(chance.randrange(0, 40))
        case StructType():
            return {field.name: some(field.field_type) for field in kind.fields}
        case ListType():
            return [some(kind.element_type) for _ in range(chance.randrange(0, 3))]
        case MapType():
            keys = [key for key in (some(kind.key_type) for _ in range(chance.randrange(0, 3))) if key is not None]
            return [(key, some(kind.value_type)) for key in dict.fromkeys(keys)]


def show(value, kind):
    """A value as JSON of the gateway has it, where numbers are texts."""
    if value is None:
        return None
    match kind:
        case BooleanType():
            return value
        case FloatType() | DoubleType():
            return str(numpy.float32(value) if isinstance(kind, FloatType) else value)
        case DecimalType():
            return f"{value:f}"
        case DateType():
            return value.isoformat()
        case TimeType():
            return value.isoformat("microseconds")
        case TimestampType() | TimestamptzType():
            # A time without a zone is shown as one in UTC.
            return value.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
        case UUIDType():
            return str(value if isinstance(value, uuid.UUID) else uuid.UUID(bytes=value))
        case FixedType() | BinaryType():
            return base64.b64encode(value).decode()
        case StructType():
            return {field.name: show(value.get(field.name), field.field_type) for field in kind.fields}
        case ListType():
            return [show(item, kind.element_type) for item in value]
        case MapType():
            return {show(key, kind.key_type): show(item, kind.value_type) for key, item in value}
    return str(value)


leaves = [BooleanType(), IntegerType(), LongType(), FloatType(), DoubleType(), DecimalType(9, 2), DecimalType(38, 10), DateType(), TimeType(), TimestampType(), TimestamptzType(), StringType(), UUIDType(), FixedType(5), BinaryType()]
numbers = iter(range(1, 10**9))


def some_kind(levels=2):
    if levels == 0 or chance.random() < 0.8:
        # pyarrow makes no UUID within other values.
        return chance.choice(leaves if levels == 2 else [leaf for leaf in leaves if leaf != UUIDType()])
    match chance.randrange(3):
        case 0:
            return StructType(*(NestedField(next(numbers), name, some_kind(levels - 1), required=False) for name in ["x", "y"]))
        case 1:
            return ListType(next(numbers), some_kind(levels - 1), element_required=False)
    return MapType(next(numbers), StringType(), next(numbers), some_kind(levels - 1), value_required=False)


def transforms_of(kind):
    match kind:
        case BooleanType() | FixedType():
            return ["identity"]
        case IntegerType() | LongType() | StringType():
            return ["identity", "bucket[3]", "truncate[2]"]
        case DecimalType():
            return ["identity", "truncate[2]"]
        case DateType():
            return ["identity", "day", "month", "year", "bucket[2]"]
        case TimestampType() | TimestamptzType():
            return ["hour", "day", "month", "year", "identity"]
    return []


def some_partition(schema):
    fields = [field for field in schema.fields if transforms_of(field.field_type)]
    if not fields or chance.random() < 0.3:
        return None
    field = chance.choice(fields)
    return field, parse_transform(chance.choice(transforms_of(field.field_type)))


def change_columns(table):
    fields = list(table.schema().fields)
    partitioned = {field.source_id for field in table.spec().fields}
    field = chance.choice(fields)
    with table.update_schema(allow_incompatible_changes=True) as update:
        match chance.randrange(5):
            case 0:
                # It may have the name of one that is gone.
                names = {one.name for one in fields}
                update.add_column(next(name for name in ["a", "b", "c", "d", "e", "f", "g", *map(str, range(100))] if name not in names), some_kind())
            case 1:
                if len(fields) > 1 and field.field_id not in partitioned:
                    update.delete_column(field.name)
            case 2:
                update.rename_column(field.name, f"{field.name}_{chance.randrange(10**6)}")
            case 3:
                for one in fields:
                    match one.field_type:
                        case IntegerType():
                            update.update_column(one.name, LongType())
                        case FloatType():
                            update.update_column(one.name, DoubleType())
                        case DecimalType():
                            if one.field_type.precision < 38:
                                update.update_column(one.name, DecimalType(one.field_type.precision + 9, one.field_type.scale))
                        case StructType():
                            if chance.random() < 0.5:
                                update.add_column((one.name, f"n{next(numbers)}"), some_kind(1))
                            elif len(one.field_type.fields) > 1:
                                update.delete_column((one.name, one.field_type.fields[0].name))
            case 4:
                if len(fields) > 1:
                    update.move_first(field.name)


def change_partitions(table):
    with table.update_spec() as update:
        for field in table.spec().fields:
            update.remove_field(field.name)
        if found := some_partition(table.schema()):
            update.add_field(found[0].name, found[1], f"p{next(numbers)}" + chance.choice(["", "-x", " x"]))


def append(table):
    schema = table.schema()
    rows = [{field.name: some(field.field_type) for field in schema.fields} for _ in range(chance.randrange(1, 6))]
    table.append(pyarrow.Table.from_pylist(rows, schema.as_arrow()))


def append_like_hive(table):
    """A file without the column that its partition has."""
    fields = table.spec().fields
    if len(fields) != 1 or str(fields[0].transform) != "identity":
        return append(table)
    schema = table.schema()
    column = schema.find_field(fields[0].source_id)
    value = some(column.field_type)
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = (value - epoch.date()).days
    elif not isinstance(value, (bool, int, str, type(None))):
        return append(table)
    others = [field for field in schema.fields if field.field_id != column.field_id]
    rows = [{field.name: some(field.field_type) for field in others} for _ in range(chance.randrange(1, 6))]
    path = Path(table.location().removeprefix("file://")) / f"data/like-hive-{next(numbers)}.parquet"
    path.parent.mkdir(exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema_to_pyarrow(Schema(*others))), path)
    file = DataFile.from_args(
        content=DataFileContent.DATA, file_path=f"file://{path}", file_format=FileFormat.PARQUET, partition=Record(value),
        record_count=len(rows), file_size_in_bytes=path.stat().st_size,
    )
    file.spec_id = table.spec().spec_id
    with table.transaction() as transaction, transaction.update_snapshot().fast_append() as snapshot:
        snapshot.append_data_file(file)


def delete(table):
    for field in chance.sample(table.schema().fields, len(table.schema().fields)):
        if isinstance(field.field_type, (IntegerType, LongType)):
            table.delete(EqualTo(field.name, chance.choice([0, 1, 7])))
            return


def rows_of(table):
    schema = table.schema()
    found = table.scan().to_arrow()
    return [{field.name: row[field.name] for field in schema.fields} for row in found.to_pylist()]


def literal_of(value, kind):
    match kind:
        case FloatType():
            return str(numpy.float32(value))
        case StringType():
            return json.dumps(value, ensure_ascii=False)
        case DateType() | TimestampType() | TimestamptzType():
            return value.isoformat()
    return show(value, kind)


tests = {"=": lambda a, b: a == b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
ordered = (IntegerType, LongType, FloatType, DoubleType, DecimalType, DateType, TimestampType, TimestamptzType, StringType)


def comparisons(schema, rows):
    for field in schema.fields:
        kind = field.field_type
        if not isinstance(kind, ordered):
            continue
        value = next((row[field.name] for row in chance.sample(rows, len(rows)) if row[field.name] is not None), None)
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            continue
        # A text that names a number or a time is compared as one.
        if isinstance(kind, StringType) and value in ("2026-11-22", "7", 'a "quote"'):
            continue
        for operator in chance.sample(sorted(tests), 2):
            matching = [i for i, row in enumerate(rows) if row[field.name] is not None and tests[operator](row[field.name], value)]
            yield {"where": f"{json.dumps(field.name)} {operator} {literal_of(value, kind)}", "rows": matching}
        yield {"where": f"{json.dumps(field.name)} != null", "rows": [i for i, row in enumerate(rows) if row[field.name] is not None]}


def count_by_duckdb(place):
    try:
        ((found,),) = duckdb.sql(f"SELECT count(*) FROM iceberg_scan('{place}')").fetchall()
        return found
    except duckdb.Error as error:
        return str(error)


def make(catalog, number):
    name = f"n.t{number}"
    schema = Schema(*(NestedField(next(numbers), letter, some_kind(), required=False) for letter in "abcd"))
    found = some_partition(schema)
    spec = PartitionSpec(PartitionField(found[0].field_id, 1000, found[1], f"{found[0].name}_p")) if found else PartitionSpec()
    metrics = chance.choice(["truncate(16)", "truncate(2)", "full", "counts", "none"])
    merging = chance.choice(["true", "false"])
    properties = {"write.metadata.metrics.default": metrics, "commit.manifest-merge.enabled": merging, "commit.manifest.min-count-to-merge": "2"}
    place = directory / f"t{number}"
    table = catalog.create_table(name, schema, f"file://{place}", spec, properties=properties)
    steps = [append, append, append_like_hive, change_columns, change_columns, change_partitions, delete]
    for step in [append, *chance.choices(steps, k=chance.randrange(0, 5))]:
        try:
            step(table)
        except Exception as error:
            # What pyiceberg refuses is not made.
            print(f"{name}: {step.__name__}: {error}", file=sys.stderr)
        table = catalog.load_table(name)
    shutil.copy(table.metadata_location.removeprefix("file://"), place / "metadata/v1.metadata.json")
    (place / "metadata/version-hint.text").write_text("1")
    rows = rows_of(table)
    # Where files were put apart in several ways, the process of DuckDB 1.5.5 ends.
    asked = len(table.specs()) == 1 and table.current_snapshot() is not None
    duck = count_by_duckdb(place) if asked else len(rows)
    return {
        "name": f"t{number}",
        "schema": str(table.schema()),
        "rows": [{field.name: show(row[field.name], field.field_type) for field in table.schema().fields} for row in rows],
        "duckdb": duck,
        "comparisons": list(comparisons(table.schema(), rows)),
    }


if __name__ == "__main__":
    for extension in ("avro", "iceberg"):
        import_extension(extension)
    duckdb.sql("LOAD iceberg")
    directory.mkdir(parents=True, exist_ok=True)
    catalog = SqlCatalog("c", uri="sqlite://", warehouse=f"file://{directory}")
    catalog.create_namespace("n")
    for number in range(count):
        print(json.dumps(make(catalog, number)), flush=True)
