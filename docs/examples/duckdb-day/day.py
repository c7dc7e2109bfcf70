#!/usr/bin/env python3
"""A day of a web shop as Parquet, and questions to it in SQL.

    pip install duckdb
    python3 day.py [--events 20000] [--directory DIR]

Starts a Sluice in a directory of its own, sends the events of yesterday, brings them into files, and asks DuckDB.
"""

import argparse
import datetime
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

import duckdb

HERE = pathlib.Path(__file__).resolve().parent
# The one on the PATH, or the one of the clone that this file stands in.
CLONE = HERE.parents[2] / "bin" / "sluice.js"
SLUICE = [shutil.which("sluice")] if shutil.which("sluice") else ["node", str(CLONE)]
ITEMS = {"hat": 29.0, "scarf": 18.5, "gloves": 12.0, "coat": 140.0}
BATCH = 1000


def day_of_events(count, seed=7):
    """Visits of a day, more in the evening than at night, each with pages; some end in an order. The same for each seed."""
    chance = random.Random(seed)
    day = datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
    day -= datetime.timedelta(days=1)
    made = 0
    while made < count:
        hour = chance.choices(range(24), weights=[1, 1, 1, 1, 1, 2, 3, 5, 6, 6, 6, 7, 8, 7, 6, 6, 7, 9, 11, 12, 11, 8, 4, 2])[0]
        at = day + datetime.timedelta(hours=hour, seconds=chance.randrange(3600))
        visit = {"visit": chance.getrandbits(63), "country": chance.choice(["DE", "DK", "FR", "JP", "US"])}
        pages = ["/", *(f"/{item}" for item in chance.sample(list(ITEMS), chance.randrange(4)))]
        for path in pages:
            yield "PageView", at, {**visit, "path": path, "ms": round(chance.lognormvariate(4, 1))}
            made += 1
            at = min(at + datetime.timedelta(seconds=chance.randrange(1, 60)), day.replace(hour=23, minute=59, second=59))
        bought = [page[1:] for page in pages[1:] if chance.random() < 0.2]
        if bought:
            items = [{"sku": item, "price": ITEMS[item]} for item in bought]
            yield "Order", at, {**visit, "items": items, "total": sum(ITEMS[item] for item in bought)}
            made += 1


def start_sluice(directory):
    """Starts it on free ports, for Parquet in the directories that SQL engines expect; returns it and where it listens."""
    settings = {
        "data.dir": directory,
        "server.port": 0,
        "admin.port": 0,
        "collector.scribe.enabled": "false",
        "collector.output.format": "parquet",
        "collector.output.layout": "hive",
        "log.format": "json",
    }
    words = [*SLUICE, "serve", *(word for key, value in settings.items() for word in ("--set", f"{key}={value}"))]
    # Its own settings alone: what the environment says is meant for another one.
    environment = {name: value for name, value in os.environ.items() if not re.match("SLUICE_(?:SERVER|ADMIN|COLLECTOR)", name)}
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)
    for line in server.stdout:
        listening = json.loads(line)
        if listening["msg"] == "sluice is ready":
            return server, listening
    raise SystemExit("Sluice did not start")


def send(url, events):
    sent = 0
    batch = []
    for name, at, payload in events:
        batch.append({"eventName": name, "payload": {"eventDate": at.isoformat(), **payload}})
        if len(batch) == BATCH:
            sent += post(url, batch)
            batch = []
    return sent + (post(url, batch) if batch else 0)


def post(url, batch):
    body = json.dumps(batch).encode()
    request = urllib.request.Request(f"{url}/rest/1.0/event", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)["accepted"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=20_000, help="how many, about (default: 20000)")
    parser.add_argument("--directory", help="where the files go (default: a new one)")
    arguments = parser.parse_args()
    directory = pathlib.Path(arguments.directory or tempfile.mkdtemp(prefix="sluice-day-")).resolve()
    server, listening = start_sluice(directory)
    try:
        print(f"{send(listening['server'], day_of_events(arguments.events))} events accepted", flush=True)
        subprocess.run([*SLUICE, "flush", "now", "--url", listening["admin"]], check=True)
    finally:
        server.terminate()
        server.wait()
    files = directory / "fs" / "events"
    for name in ("PageView", "Order"):
        found = f"read_parquet('{files}/{name}/**/*.parquet', union_by_name = true, hive_partitioning = true)"
        duckdb.sql(f'CREATE VIEW "{name}" AS FROM {found}')
    for question in (HERE / "questions.sql").read_text().split(";"):
        if question.strip():
            print(f"\n{question.strip()};")
            print(duckdb.sql(question))
    print(f"The files are in {files}")


if __name__ == "__main__":
    sys.exit(main())
