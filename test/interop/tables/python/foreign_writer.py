"""
Another writer of the table, until its input ends: foreign_writer.py PLACE FIRST-ID. It appends rows, puts small files together
and lets snapshots expire, one after the other. What it prints, a line each: `begins FROM TO` before it appends rows with
these ids, `done FROM TO` when they are there, `compacted FILES`, `expired SNAPSHOTS`, `failed WHAT WHY`.
"""

import select
import sys
from datetime import datetime, timedelta, timezone

import pyarrow
from open_table import open_table
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.io.pyarrow import ArrowScan, _dataframe_to_data_files

place, next_id = sys.argv[1], int(sys.argv[2])
rows_at_once = 5
files_at_once = 20
kept = timedelta(seconds=20)
# Files that others add do not concern one who puts those together that were there; and others are fast.
properties = {
    "write.delete.isolation-level": "snapshot",
    "commit.retry.num-retries": "20",
    "commit.retry.min-wait-ms": "20",
}


def say(*words):
    print(*words, flush=True)


def prepare(table):
    if properties.items() <= table.properties.items():
        return
    with table.transaction() as change:
        change.set_properties(properties)


def append(table):
    global next_id
    ids = range(next_id, next_id - rows_at_once, -1)
    next_id -= rows_at_once
    say("begins", ids[0], ids[-1])
    rows = [{"id": id, "eventDate": datetime.now(timezone.utc)} for id in ids]
    schema = pyarrow.schema([table.schema().as_arrow().field(name) for name in rows[0]])
    table.append(pyarrow.Table.from_pylist(rows, schema=schema))
    say("done", ids[0], ids[-1])


def compact(table):
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


def expire(table):
    before = len(table.snapshots())
    table.maintenance.expire_snapshots().older_than(datetime.now(timezone.utc) - kept).commit()
    say("expired", before - len(table.refresh().snapshots()))


turn = 0
while not select.select([sys.stdin], [], [], 0.3)[0]:
    work = [append, compact, append, expire][turn % 4]
    turn += 1
    try:
        prepare(open_table(place))
        work(open_table(place))
    except Exception as error:
        say("failed", work.__name__, type(error).__name__, " ".join(str(error).split())[:300])
