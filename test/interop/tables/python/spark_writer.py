"""Spark as another writer of the table: it appends rows, rewrites files and manifests and lets snapshots expire."""

from datetime import datetime, timezone

from spark_table import open_spark
from writer_turns import append_by, kept, place, say, take_turns

session, table = open_spark(place)
name = table.removeprefix("sluice.")


def timestamp(date):
    return f"TIMESTAMP '{date:%Y-%m-%d %H:%M:%S.%f}'"


def append():
    def write(ids):
        rows = ", ".join(f"({id}, {timestamp(datetime.now(timezone.utc))})" for id in ids)
        session.sql(f"INSERT INTO {table} (id, eventDate) VALUES {rows}")

    append_by(write)


def compact():
    options = "map('min-input-files', '2', 'max-file-group-input-files', '20')"
    ((files, *_),) = session.sql(
        f"CALL sluice.system.rewrite_data_files(table => '{name}', options => {options})"
    ).collect()
    say("compacted", files)


def merge_manifests():
    ((manifests, *_),) = session.sql(f"CALL sluice.system.rewrite_manifests('{name}')").collect()
    say("merged", manifests)


def expire():
    date = timestamp(datetime.now(timezone.utc) - kept)
    (counts,) = session.sql(
        f"CALL sluice.system.expire_snapshots(table => '{name}', older_than => {date}, stream_results => true)"
    ).collect()
    say("expired", counts["deleted_manifest_lists_count"])


take_turns([append, compact, append, merge_manifests, append, expire])
