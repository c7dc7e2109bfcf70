"""Random schemas and values, by a seed."""

import datetime
import decimal
import random
import string

import pyarrow as pa

NAMES = ["a", "b", "A", "x y", "é", "日本", "__proto__", "constructor", "0", "10", "key", "value", "list", "element", "array", "item", "", "a.b", "a,b", '"q"']
SCALARS = ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "text", "bytes", "fixed", "date", "t32", "t64us", "t64ns", "ts_s", "ts_ms", "ts_us", "ts_ns", "dec_small", "dec9", "dec18", "dec38", "dec76", "dict", "uuid", "null"]


def arrow_type(rng, depth=0):
    roll = rng.random()
    if depth >= 3 or roll < 0.6:
        kind = scalar_type(rng)
        # pyarrow makes no nested arrays of these, and no required column of nulls.
        return pa.binary(16) if depth > 0 and (isinstance(kind, pa.BaseExtensionType) or pa.types.is_null(kind)) else kind
    if roll < 0.76:
        return pa.list_(pa.field("element", arrow_type(rng, depth + 1), nullable=rng.random() < 0.8))
    if roll < 0.8:
        return pa.large_list(arrow_type(rng, depth + 1))
    if roll < 0.92:
        names = rng.sample(NAMES[:16], rng.randint(1, 4))
        return pa.struct([pa.field(name, arrow_type(rng, depth + 1), nullable=rng.random() < 0.8) for name in names])
    # Keys that are no scalars make no object.
    key = pa.struct([pa.field("k", pa.int32())]) if roll > 0.98 else scalar_type(rng, rng.choice(["text", "i32", "i64", "bytes", "f64", "bool", "date", "dec9"]))
    return pa.map_(key, arrow_type(rng, depth + 1))


def scalar_type(rng, kind=None):
    kind = kind or rng.choice(SCALARS)
    zone = rng.choice([None, "UTC"])
    return {
        "bool": pa.bool_(), "i8": pa.int8(), "i16": pa.int16(), "i32": pa.int32(), "i64": pa.int64(),
        "u8": pa.uint8(), "u16": pa.uint16(), "u32": pa.uint32(), "u64": pa.uint64(),
        "f16": pa.float16(), "f32": pa.float32(), "f64": pa.float64(),
        "text": rng.choice([pa.string(), pa.large_string()]), "bytes": rng.choice([pa.binary(), pa.large_binary()]),
        "fixed": pa.binary(rng.randint(1, 20)), "date": pa.date32(), "t32": pa.time32("ms"), "t64us": pa.time64("us"), "t64ns": pa.time64("ns"),
        "ts_s": pa.timestamp("s", zone), "ts_ms": pa.timestamp("ms", zone), "ts_us": pa.timestamp("us", zone), "ts_ns": pa.timestamp("ns", zone),
        "dec_small": pa.decimal128(rng.randint(1, 4), 1), "dec9": pa.decimal128(9, rng.randint(0, 9)), "dec18": pa.decimal128(18, rng.randint(0, 18)),
        "dec38": pa.decimal128(38, rng.randint(0, 38)), "dec76": pa.decimal256(76, rng.randint(0, 76)),
        "dict": pa.dictionary(pa.int32(), pa.string()), "uuid": pa.uuid(), "null": pa.null(),
    }[kind]


def value(rng, kind, nullable=True):
    """A Python value that pyarrow takes for a type."""
    t = pa.types
    if t.is_null(kind) or (nullable and rng.random() < 0.15):
        return None
    if isinstance(kind, pa.BaseExtensionType):
        return rng.randbytes(16)
    if t.is_dictionary(kind):
        return rng.choice(["red", "green", "blue", ""])
    if t.is_boolean(kind):
        return rng.random() < 0.5
    if t.is_integer(kind):
        bits = kind.bit_width
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if t.is_signed_integer(kind) else (0, 2**bits - 1)
        return rng.choice([low, high, 0, 1, rng.randint(low, high), rng.randint(max(low, -100), 100)])
    if t.is_float16(kind):
        import numpy
        return numpy.float16(rng.choice([0.0, -0.0, 1.5, -65504.0, 6e-8, float("nan"), float("inf"), rng.uniform(-9, 9)]))
    if t.is_floating(kind):
        return rng.choice([0.0, -0.0, 1.1, 0.1, -1e-30, 3e38, 1e10, 479056064.0, float("nan"), float("inf"), float("-inf"), rng.uniform(-1e6, 1e6), float(rng.randint(-99, 99))])
    if t.is_string(kind) or t.is_large_string(kind):
        return text(rng)
    if t.is_fixed_size_binary(kind):
        return rng.randbytes(kind.byte_width)
    if t.is_binary(kind) or t.is_large_binary(kind):
        return rng.randbytes(rng.choice([0, 1, 5, 40]))
    if t.is_date(kind):
        return rng.choice([0, -1, 19_000, -719_162, rng.randint(-700_000, 2_900_000)])
    if t.is_time32(kind):
        return rng.randrange(86_400_000)
    if t.is_time(kind):
        return rng.randrange(86_400 * (10**6 if kind.unit == "us" else 10**9))
    if t.is_timestamp(kind):
        per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
        span = min(2**62 // per, 60_000_000_000)
        return rng.choice([0, -1, rng.randint(-span, span) * per + rng.randrange(per), 1_700_000_000 * per + rng.randrange(per)])
    if t.is_decimal(kind):
        most = 10**kind.precision - 1
        unscaled = rng.choice([0, 1, -1, most, -most, rng.randint(-most, most)])
        return decimal.Decimal(unscaled).scaleb(-kind.scale, decimal.Context(prec=100))
    if t.is_map(kind):
        keys = []
        for _ in range(rng.choice([0, 1, 2, 3])):
            keys.append(value(rng, kind.key_type, nullable=False))
        if keys and rng.random() < 0.1:
            keys.append(keys[0])
        return [(key, value(rng, kind.item_type)) for key in keys]
    if t.is_struct(kind):
        return {kind.field(i).name: value(rng, kind.field(i).type, kind.field(i).nullable) for i in range(kind.num_fields)}
    return [value(rng, kind.value_type, kind.value_field.nullable) for _ in range(rng.choice([0, 1, 1, 2, 5]))]


def text(rng):
    letters = rng.choice([string.ascii_letters, "éü日本語😀\u2028", "\"'\\,;\n\t\r", string.printable])
    return "".join(rng.choice(letters) for _ in range(rng.choice([0, 1, 3, 12, 80])))


def table(rng):
    """A table of up to some thousand rows; its columns may share a name."""
    rows = rng.choices([0, 1, 2, 7, 40, 400, 3_000], [4, 4, 4, 4, 4, 4, 1])[0]
    count = rng.randint(1, 6)
    names = [rng.choice(NAMES) for _ in range(count)] if rng.random() < 0.1 else rng.sample(NAMES, count)
    fields = [to_field(rng, name) for name in names]
    arrays = [column(rng, field, rows) for field in fields]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def to_field(rng, name):
    kind = arrow_type(rng)
    return pa.field(name, kind, nullable=pa.types.is_null(kind) or rng.random() < 0.8)


def column(rng, field, rows):
    nullable = field.nullable
    if pa.types.is_null(field.type):
        return pa.nulls(rows)
    # Runs and repetitions, as real columns have them.
    some = [value(rng, field.type, nullable) for _ in range(min(rows, rng.choice([1, 5, 1_000])))]
    values = [some[i] if i < len(some) else rng.choice(some) for i in range(rows)]
    if isinstance(field.type, pa.BaseExtensionType):
        return field.type.wrap_array(pa.array(values, type=field.type.storage_type))
    return pa.array(values, type=field.type)


AVRO_SCALARS = ["null", "boolean", "int", "long", "float", "double", "string", "bytes",
    {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 9}, {"type": "string", "logicalType": "uuid"},
    {"type": "int", "logicalType": "date"}, {"type": "int", "logicalType": "time-millis"}, {"type": "long", "logicalType": "time-micros"},
    {"type": "long", "logicalType": "timestamp-millis"}, {"type": "long", "logicalType": "timestamp-micros"},
    {"type": "long", "logicalType": "local-timestamp-millis"}, {"type": "long", "logicalType": "local-timestamp-micros"}]


class AvroSchemas:
    """Names of records, enums and fixed must differ within a file."""

    def __init__(self, rng):
        self.rng = rng
        self.names = 0

    def name(self):
        self.names += 1
        return f"N{self.names}"

    def any(self, depth=0):
        rng = self.rng
        roll = rng.random()
        if depth >= 3 or roll < 0.5:
            one = rng.choice(AVRO_SCALARS)
            return dict(one) if isinstance(one, dict) else one
        if roll < 0.55:
            return {"type": "enum", "name": self.name(), "symbols": ["RED", "GREEN", "BLUE"]}
        if roll < 0.6:
            return {"type": "fixed", "name": self.name(), "size": rng.randint(1, 20)}
        if roll < 0.65:
            return {"type": "fixed", "name": self.name(), "size": 16, "logicalType": "decimal", "precision": 30, "scale": 5}
        if roll < 0.72:
            return {"type": "array", "items": self.any(depth + 1)}
        if roll < 0.78:
            return {"type": "map", "values": self.any(depth + 1)}
        if roll < 0.88:
            inner = self.any(depth + 1)
            if inner == "null" or isinstance(inner, list):
                inner = "long"
            return rng.choice([["null", inner], [inner, "null"]])
        if roll < 0.92:
            return ["null", "boolean", "long", "string", "double", "bytes"]
        return self.record(depth + 1)

    def record(self, depth=0):
        rng = self.rng
        names = rng.sample(["a", "b", "A", "key", "value", "__proto__", "constructor", "_0", "x1"], rng.randint(1, 5))
        return {"type": "record", "name": self.name(), "fields": [{"name": name, "type": self.any(depth)} for name in names]}


def avro_value(rng, schema):
    """A Python value that fastavro takes for a schema."""
    if isinstance(schema, list):
        return avro_value(rng, rng.choice(schema))
    kind = schema if isinstance(schema, str) else schema["type"]
    logical = None if isinstance(schema, str) else schema.get("logicalType")
    epoch = datetime.datetime(1970, 1, 1)
    if logical == "decimal":
        digits = min(schema["precision"], 28)
        return decimal.Decimal(rng.randint(-(10**digits), 10**digits)).scaleb(-schema["scale"])
    if logical == "uuid":
        import uuid
        return uuid.UUID(bytes=rng.randbytes(16))
    if logical == "date":
        return datetime.date.fromordinal(rng.randint(1, 3_652_059))
    if logical in ("time-millis", "time-micros"):
        step = 1_000 if logical == "time-millis" else 1
        return (epoch + datetime.timedelta(microseconds=rng.randrange(86_400 * 10**6) // step * step)).time()
    if logical is not None and "timestamp" in logical:
        step = 1_000 if logical.endswith("millis") else 1
        moment = epoch + datetime.timedelta(microseconds=rng.randint(-(6 * 10**16), 2 * 10**17) // step * step)
        return moment if logical.startswith("local") else moment.replace(tzinfo=datetime.timezone.utc)
    if kind == "null":
        return None
    if kind == "boolean":
        return rng.random() < 0.5
    if kind in ("int", "long"):
        bits = 31 if kind == "int" else 63
        return rng.choice([0, -1, 2**bits - 1, -(2**bits), rng.randint(-(2**bits), 2**bits - 1), rng.randint(-99, 99)])
    if kind in ("float", "double"):
        return rng.choice([0.0, -0.0, 1.1, 0.1, 1e30, float("nan"), float("inf"), rng.uniform(-1e6, 1e6)])
    if kind == "string":
        return text(rng)
    if kind == "bytes":
        return rng.randbytes(rng.choice([0, 1, 9]))
    if kind == "fixed":
        return rng.randbytes(schema["size"])
    if kind == "enum":
        return rng.choice(schema["symbols"])
    if kind == "array":
        return [avro_value(rng, schema["items"]) for _ in range(rng.choice([0, 1, 3]))]
    if kind == "map":
        keys = rng.sample(["a", "b", "10", "2", "__proto__", "é", ""], rng.choice([0, 1, 3]))
        return {key: avro_value(rng, schema["values"]) for key in keys}
    return {field["name"]: avro_value(rng, field["type"]) for field in schema["fields"]}
