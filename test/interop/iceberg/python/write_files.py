"""Writes a file of 1 000 orders for each of three hours, with the field ids of the table: write_files.py DIRECTORY."""
import datetime
import sys

import pyarrow
import pyarrow.parquet

schema = pyarrow.schema(
    [
        pyarrow.field(name, kind, metadata={"PARQUET:field_id": str(number)})
        for number, (name, kind) in enumerate(
            [("eventDate", pyarrow.timestamp("us", "UTC")), ("id", pyarrow.int64()), ("user", pyarrow.string())], 1
        )
    ]
)
start = datetime.datetime(2026, 5, 3, tzinfo=datetime.timezone.utc)
for hour in range(3):
    rows = [
        {
            "eventDate": start + datetime.timedelta(hours=hour, seconds=second),
            "id": 9007199254740993 + hour * 1_000 + second,
            "user": f"user-{second % 7}",
        }
        for second in range(1_000)
    ]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema), f"{sys.argv[1]}/{hour}.parquet")
