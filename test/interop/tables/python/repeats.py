"""
What is in a table whose events are sent several times, by pyiceberg and DuckDB: repeats.py PLACE. Answers each line of its input
with one of JSON:

    look       the current snapshot: whether events are gone that were there at the look before, and those that are there repeatedly
    history    each snapshot against the one before: appends add, and compactions keep each event, and each row but for repeats
    judge      what DuckDB counts
"""

import json
import sys
from collections import Counter

import duckdb
import pyarrow.parquet as pq
from duckdb_extensions import import_extension
from open_table import open_table

place = sys.argv[1]
event = "messageId"
seen = set()


def look():
    table = open_table(place)
    ids = Counter(table.scan(selected_fields=(event,)).to_arrow()[event].to_pylist())
    lost = seen - ids.keys()
    seen.update(ids)
    return {
        "rows": ids.total(),
        "lost": [int(one) for one in sorted(lost)[:20]],
        "repeated": {one: count for one, count in ids.items() if count > 1},
    }


def ids_of(paths):
    ids = Counter()
    for path, _ in paths:
        ids.update(pq.read_table(path.removeprefix("file://"), columns=[event])[event].to_pylist())
    return ids


def history():
    table = open_table(place)
    files = {}
    problems = []
    found = Counter()

    def live_of(snapshot):
        live = Counter()
        for manifest in snapshot.manifests(table.io):
            if manifest.manifest_path not in files:
                files[manifest.manifest_path] = [
                    (entry.data_file.file_path, entry.data_file.partition[0])
                    for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True)
                ]
            live.update(files[manifest.manifest_path])
        return live

    snapshots = {one.snapshot_id: one for one in table.snapshots()}
    before_id, before = None, Counter()
    for snapshot in sorted(snapshots.values(), key=lambda one: one.sequence_number):
        where = f"snapshot {snapshot.sequence_number}"
        live = live_of(snapshot)
        if snapshot.parent_snapshot_id != before_id:
            problems.append(f"{where}: its parent is not the one before")
        operation = snapshot.summary.operation.value
        found[operation] += 1
        removed, added = before - live, live - before
        if max(live.values(), default=1) > 1:
            problems.append(f"{where}: it has a file twice")
        if operation == "append":
            if removed:
                problems.append(f"{where}: an append removed {len(removed)} files")
        else:
            hours = {hour for _, hour in removed} | {hour for _, hour in added}
            old, new = ids_of(removed), ids_of(added)
            dropped = old.total() - new.total()
            said = int(snapshot.summary.additional_properties.get("sluice.repeated-rows", "0"))
            found["dropped"] += dropped
            if len(hours) != 1:
                problems.append(f"{where}: it changed {len(hours)} hours")
            if dropped != said or (dropped > 0) != (operation == "overwrite"):
                problems.append(f"{where}: {operation} dropped {dropped} rows, and says {said}")
            if new - old:
                problems.append(f"{where}: it has rows more: {(new - old).most_common(3)}")
            if operation == "overwrite" and max(new.values(), default=1) > 1:
                problems.append(f"{where}: a row that repeats another one stayed: {new.most_common(3)}")
            missing = old.keys() - new.keys()
            if missing:
                missing -= ids_of((path, hour) for path, hour in live if (path, hour) not in added and hour in hours).keys()
            if missing:
                problems.append(f"{where}: {len(missing)} events are gone: {sorted(missing)[:3]}")
        before_id, before = snapshot.snapshot_id, live
    return {
        "snapshots": len(snapshots),
        "replaced": found["replace"],
        "overwritten": found["overwrite"],
        "dropped": found["dropped"],
        "problems": problems[:20],
    }


def judge():
    for name in ("avro", "iceberg"):
        import_extension(name)
    duckdb.sql("LOAD iceberg")
    scan = f"iceberg_scan('{place}')"
    counts = duckdb.sql(f"SELECT count(*), count(DISTINCT {event}), count(DISTINCT _eventId) FROM {scan}").fetchone()
    numbers = [int(one) for (one,) in duckdb.sql(f"SELECT {event} FROM {scan}").fetchall()]
    return {"rows": counts[0], "events": counts[1], "ids": counts[2], "numbers": numbers}


answers = {"look": look, "history": history, "judge": judge}
for line in sys.stdin:
    print(json.dumps(answers[line.strip()]()), flush=True)
