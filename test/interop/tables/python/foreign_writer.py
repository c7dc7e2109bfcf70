"""pyiceberg as another writer of the table: it appends rows, puts small files together and lets snapshots expire."""

from datetime import datetime, timezone

import pyarrow
from open_table import open_table
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.io.pyarrow import ArrowScan, _dataframe_to_data_files
from writer_turns import append_by, kept, place, say, take_turns

files_at_once = 20
# Files that others add do not concern one who puts those together that were there. And others are fast: it waits twice as long
# behind each try, by default up to a minute.
properties = {
    "write.delete.isolation-level": "snapshot",
    "commit.retry.num-retries": "20",
    "commit.retry.min-wait-ms": "20",
    "commit.retry.max-wait-ms": "500",
}


def open_prepared():
    table = open_table(place)
    if properties.items() <= table.properties.items():
        return table
    with table.transaction() as change:
        change.set_properties(properties)
    return open_table(place)


def append():
    table = open_prepared()

    def write(ids):
        rows = [{"id": id, "eventDate": datetime.now(timezone.utc)} for id in ids]
        schema = pyarrow.schema([table.schema().as_arrow().field(name) for name in rows[0]])
        table.append(pyarrow.Table.from_pylist(rows, schema=schema))

    append_by(write)


def compact():
    table = open_prepared()
    tasks = sorted(table.scan().plan_files(), key=lambda task: task.file.file_size_in_bytes)[:files_at_once]
    if len(tasks) < 2:
        return
    rows = ArrowScan(table.metadata, table.io, table.schema(), AlwaysTrue()).to_table(tasks)
    with table.transaction() as change:
        with change.update_snapshot().overwrite() as files:
            for task in tasks:
                files.delete_data_file(task.file)
            for file in _dataframe_to_data_files(change.table_metadata, rows, table.io):
                files.append_data_file(file)
    say("compacted", len(tasks))


def expire():
    table = open_prepared()
    before = len(table.snapshots())
    table.maintenance.expire_snapshots().older_than(datetime.now(timezone.utc) - kept).commit()
    say("expired", before - len(table.refresh().snapshots()))


take_turns([append, compact, append, expire])
