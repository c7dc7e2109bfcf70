"""What the rows of a file must be, by the values that pyarrow, or fastavro, reads of it.

A row is a list of (name, form). A form says what JSON must hold, whichever way it is written:

    None, bool, str, ("int", n), ("decimal", Decimal), ("float", x, bits), [form, ...], ("object", [(name, form), ...])
    ("instant", "2026-01-02T03:04:05.000Z")   with any number of zeros at its end: DuckDB reads milliseconds as microseconds
    ("map", [(key, value), ...])   an object of the keys as they are shown, or a list of {"key", "value"}
"""

import base64
import datetime
import decimal
import uuid

import pyarrow as pa
import pyarrow.types as t

decimal.getcontext().prec = 200

DIGITS = {"s": 3, "ms": 3, "us": 6, "ns": 9}
SCALE = {"s": 1_000, "ms": 1, "us": 1, "ns": 1}
PER_SECOND = {3: 10**3, 6: 10**6, 9: 10**9}


def of_scalar(scalar):
    """The form of a pyarrow scalar."""
    kind = scalar.type
    if not scalar.is_valid or t.is_null(kind):
        return None
    if isinstance(scalar, pa.ExtensionScalar):
        if kind.extension_name == "arrow.uuid":
            return str(uuid.UUID(bytes=scalar.value.as_py()))
        return of_scalar(scalar.value)
    if t.is_dictionary(kind):
        return of_scalar(scalar.as_py() if isinstance(scalar.as_py(), pa.Scalar) else pa.scalar(scalar.as_py(), kind.value_type))
    if t.is_boolean(kind) or t.is_string(kind) or t.is_large_string(kind):
        return scalar.as_py()
    if t.is_integer(kind):
        return ("int", scalar.as_py())
    if t.is_floating(kind):
        # Half floats are exact as doubles.
        return ("float", float(scalar.as_py()), 32 if t.is_float32(kind) else 64)
    if t.is_decimal(kind):
        return ("decimal", scalar.as_py())
    if t.is_date(kind):
        return iso_date(scalar.cast(pa.date32()).value)
    if t.is_time(kind):
        return iso_time(scalar.value * SCALE[kind.unit], DIGITS[kind.unit])
    if t.is_timestamp(kind):
        return iso_timestamp(scalar.value * SCALE[kind.unit], DIGITS[kind.unit])
    if t.is_duration(kind):
        return ("int", scalar.value)
    if t.is_binary(kind) or t.is_large_binary(kind) or t.is_fixed_size_binary(kind):
        return base64.b64encode(scalar.as_py()).decode()
    if t.is_map(kind):
        entries = scalar.values
        keys, items = entries.field(0), entries.field(1)
        return ("map", [(of_scalar(keys[i]), of_scalar(items[i])) for i in range(len(entries))])
    if t.is_struct(kind):
        members = [(kind.field(i).name, of_scalar(scalar[i])) for i in range(kind.num_fields)]
        return ("object", members)
    if t.is_list(kind) or t.is_large_list(kind) or t.is_fixed_size_list(kind):
        return [of_scalar(scalar.values[i]) for i in range(len(scalar.values))]
    raise TypeError(f"no form of {kind}")


def of_avro(value, schema, named):
    """The form of a value that fastavro reads by a schema as fastavro parsed it."""
    if isinstance(schema, str) and schema in named:
        schema = named[schema]
    if isinstance(schema, list):
        if value is None:
            return None
        return of_avro(value, branch_of(value, schema), named)
    kind = schema if isinstance(schema, str) else schema["type"]
    logical = None if isinstance(schema, str) else schema.get("logicalType")
    if isinstance(kind, (dict, list)):
        return of_avro(value, kind, named)
    if logical == "decimal":
        return ("decimal", value)
    if logical == "uuid":
        return str(value)
    if logical == "date":
        return iso_date((value - datetime.date(1970, 1, 1)).days)
    if logical in ("time-millis", "time-micros"):
        digits = 3 if logical == "time-millis" else 6
        micros = ((value.hour * 60 + value.minute) * 60 + value.second) * 10**6 + value.microsecond
        return iso_time(micros // 10 ** (6 - digits), digits)
    if logical is not None and "timestamp" in logical:
        digits = 3 if logical.endswith("millis") else 6
        epoch = datetime.datetime(1970, 1, 1, tzinfo=value.tzinfo)
        delta = value - epoch
        micros = (delta.days * 86_400 + delta.seconds) * 10**6 + delta.microseconds
        return iso_timestamp(micros // 10 ** (6 - digits), digits)
    if kind == "null":
        return None
    if kind in ("boolean", "string", "enum"):
        return value
    if kind in ("int", "long"):
        return ("int", value)
    if kind in ("float", "double"):
        return ("float", value, 32 if kind == "float" else 64)
    if kind in ("bytes", "fixed"):
        return base64.b64encode(value).decode()
    if kind == "array":
        return [of_avro(one, schema["items"], named) for one in value]
    if kind == "map":
        return ("object", [(name, of_avro(one, schema["values"], named)) for name, one in value.items()])
    if kind in ("record", "error"):
        return ("object", [(field["name"], of_avro(value[field["name"]], field["type"], named)) for field in schema["fields"]])
    raise TypeError(f"no form of {schema}")


def branch_of(value, schema):
    """Unions here have one branch beside null, or branches that Python's types tell apart."""
    others = [one for one in schema if one != "null"]
    if len(others) == 1:
        return others[0]
    kinds = {bool: "boolean", int: "long", str: "string", float: "double", bytes: "bytes"}
    return kinds[type(value)]


def iso_date(days):
    """Proleptic Gregorian, years of any size."""
    shifted = days + 719_468
    era, day_of_era = divmod(shifted, 146_097)
    year_of_era = (day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    march = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * march + 2) // 5 + 1
    month = march + 3 if march < 10 else march - 9
    year = year_of_era + era * 400 + (month <= 2)
    text = f"{year:04d}" if 0 <= year <= 9_999 else f"{'-' if year < 0 else '+'}{abs(year):06d}"
    return f"{text}-{month:02d}-{day:02d}"


def iso_time(count, digits):
    seconds, fraction = divmod(count, PER_SECOND[digits])
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{fraction:0{digits}d}"


def iso_timestamp(count, digits):
    days, rest = divmod(count, 86_400 * PER_SECOND[digits])
    return ("instant", f"{iso_date(days)}T{iso_time(rest, digits)}Z")
