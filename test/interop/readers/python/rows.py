"""Rows as they are compared; `rows.ts` says what they look like."""

import base64
import datetime
import json


# Columns of the directories, which each program reads in its own way.
partitions = ("dt", "hour")


def to_rows(rows):
    return [to_row(row) for row in rows]


def to_row(row):
    found = to_value({name: value for name, value in row.items() if name not in partitions})
    if "_extra" in found:
        found["_extra"] = json.loads(found["_extra"])
    return found


def to_value(value):
    if isinstance(value, (bool, float, str)):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime.datetime):
        # A time without a zone is one of this session, which is in UTC.
        at = value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)
        text = at.astimezone(datetime.timezone.utc).isoformat(timespec="milliseconds")
        return text.replace("+00:00", "Z")
    if isinstance(value, (list, tuple)):
        return [to_value(item) for item in value]
    return {name: to_value(member) for name, member in value.items() if member is not None}
