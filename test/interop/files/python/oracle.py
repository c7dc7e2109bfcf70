"""Reads files through the gateway and compares every value with what pyarrow, DuckDB or fastavro holds.

    python3 oracle.py URL DIRECTORY PATH --first 1 --seeds 200     writes the files of seeds into DIRECTORY, which the
                                                                   gateway has as PATH
    python3 oracle.py URL DIRECTORY PATH --files FOLDER            copies the files of a folder there

Prints a line for each file that differs, and at its end a JSON object with counts. Exit code 1 when one differs.
"""

import argparse
import csv
import http.client
import io
import json
import os
import random
import re
import shutil
import sys
import time
import urllib.parse

from compare import Members, cell_differs, differs, first, parse, unique
from write import read_fastavro, read_pyarrow, write

csv.field_size_limit(2**31 - 1)


class Gateway:
    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.address = parts.hostname, parts.port
        self.connection = http.client.HTTPConnection(*self.address, timeout=120)

    def get(self, route, **parameters):
        target = f"{route}?{urllib.parse.urlencode(parameters)}"
        for attempt in (1, 2):
            try:
                self.connection.request("GET", target)
                answer = self.connection.getresponse()
                return answer.status, answer.read().decode("utf8")
            except (http.client.HTTPException, OSError):
                self.connection.close()
                self.connection = http.client.HTTPConnection(*self.address, timeout=120)
                if attempt == 2:
                    raise


def judge(gateway, path, rows, rng):
    """What differs; None where nothing does."""
    want = [("object", unique(row)) for row in rows]
    problem = judge_json(gateway, path, want, {})
    if problem is not None or not rows:
        return problem
    names = [name for name, _ in want[0][1]]
    some = sorted(rng.sample(range(len(names)), rng.randint(1, len(names))))
    start = rng.randrange(len(rows))
    end = rng.randrange(start, len(rows))
    # Rows count from 0, both ends included, but a first of 1 begins at the top, as clients of 2010 have it.
    start = 0 if start == 1 else start
    part = [("object", [row[1][i] for i in some]) for row in want[start : end + 1]]
    chosen = [names[i] for i in some]
    if all(name and "," not in name and '"' not in name for name in chosen):
        query = {"columns": ",".join(chosen), "range": f"{start}-{end}"}
        problem = judge_json(gateway, path, part, query)
    return (
        problem
        or judge_ranges(gateway, path, want, rng)
        or judge_csv(gateway, path, want, names)
        or judge_where(gateway, path, want, names, rng)
    )


def judge_ranges(gateway, path, want, rng):
    """Some rows anywhere: pages before them are passed over."""
    for _ in range(3):
        start = rng.choice([0, *range(2, len(want) + 1)])
        end = start + rng.randrange(40)
        problem = judge_json(gateway, path, want[start : end + 1], {"range": f"{start}-{end}"})
        if problem is not None:
            return problem
    return None


def judge_error(gateway, path):
    """Of a file whose rows nobody knows: rows, or an error that speaks of the file and not of our code."""
    status, body = gateway.get("/rest/1.0/json", path=path, nulls="true")
    if status >= 500 or faults.search(body[-2_000:]):
        return f"status {status}: {body[-300:]}"
    return None


faults = re.compile(r"undefined|destructure|of null|is not a function|is not iterable|internal")


def judge_json(gateway, path, want, query):
    status, body = gateway.get("/rest/1.0/json", path=path, nulls="true", **query)
    if status != 200:
        return f"{query} status {status}: {body[:300]}"
    entry = dict(dict(parse(body))["entries"][0])
    if "error" in entry:
        return f"{query} error: {str(entry['error'])[:300]}"
    found = entry["content"]
    if len(found) != len(want):
        return f"{query} expected {len(want)} rows, found {len(found)}"
    return first(differs(row, other, f"{query or ''} row {i} ") for i, (row, other) in enumerate(zip(want, found)))


def judge_csv(gateway, path, want, names):
    status, body = gateway.get("/rest/1.0/text", path=path, header="true")
    if status != 200:
        return f"CSV: status {status}: {body[:300]}"
    lines = list(csv.reader(io.StringIO(body, newline="")))
    if len(names) == 1:
        # An empty line is a row whose only field is empty.
        lines = [line or [""] for line in lines]
    if lines and lines[0] == [*names, "_more"] and all(line[-1] == "" for line in lines[1:]):
        # Columns that first appear late would be there: a long file may have them.
        lines = [line[:-1] for line in ([*lines[0][:-1], ""], *lines[1:])]
    if lines[:1] != [names]:
        return f"CSV: expected the header {names}, found {lines[:1]}"
    if len(lines) - 1 != len(want):
        return f"CSV: expected {len(want)} rows, found {len(lines) - 1}"
    return first(
        cell_differs(form, cell, f"CSV row {i}.{name}")
        for i, (row, line) in enumerate(zip(want, lines[1:]))
        for (name, form), cell in zip(row[1], line)
    )


def judge_where(gateway, path, want, names, rng):
    """Rows whose column has the value that a random row has: integers and plain texts."""
    column = rng.randrange(len(names))
    name, form = want[rng.randrange(len(want))][1][column]
    if not name.isascii() or not name.isidentifier() or name.startswith("__"):
        return None
    if isinstance(form, tuple) and form[0] in ("int", "decimal"):
        text = f"{form[1]:f}" if form[0] == "decimal" else str(form[1])
    elif isinstance(form, str) and form.isascii() and form.isalnum():
        text = f"'{form}'"
    else:
        return None
    rows = [row for row in want if row[1][column][1] == form]
    return judge_json(gateway, path, rows, {"where": f"{name} = {text}"})


readers = {".parquet": read_pyarrow, ".avro": read_fastavro}


def copies(folder, directory):
    """The files of a folder, and their rows; None for those that pyarrow or fastavro does not read, which are named."""
    for root, _, files in sorted(os.walk(folder)):
        for file in sorted(files):
            read = readers.get(os.path.splitext(file)[1])
            if read is None:
                continue
            source = os.path.join(root, file)
            name = os.path.relpath(source, folder).replace(os.sep, "__")
            try:
                rows = read(source)
            except Exception as error:  # what the judge cannot read has no rows to compare
                print(f"left out {name}: {type(error).__name__}: {str(error)[:120]}")
                rows = None
            if rows is not None and "int96" in name:
                print(f"left out {name}: pyarrow takes times beyond 64 bits of nanoseconds for others")
                rows = None
            shutil.copyfile(source, os.path.join(directory, name))
            yield name, file, rows


def seeds(first_seed, count, directory, until):
    for seed in range(first_seed, first_seed + count):
        if time.monotonic() > until:
            return
        try:
            yield write(seed, directory)
        except Exception as error:  # a schema that a writer does not take
            yield None, f"{type(error).__name__}: {str(error)[:200]}", None


def main():
    options = argparse.ArgumentParser()
    options.add_argument("url")
    options.add_argument("directory")
    options.add_argument("path")
    options.add_argument("--first", type=int, default=1)
    options.add_argument("--seeds", type=int, default=0)
    options.add_argument("--minutes", type=float, default=600)
    options.add_argument("--files")
    args = options.parse_args()
    gateway = Gateway(args.url)
    counts = {"files": 0, "rows": 0, "values": 0, "unwritten": 0, "different": 0}
    until = time.monotonic() + args.minutes * 60
    os.makedirs(args.directory, exist_ok=True)
    cases = copies(args.files, args.directory) if args.files else seeds(args.first, args.seeds, args.directory, until)
    for name, writer, rows in cases:
        if name is None:
            counts["unwritten"] += 1
            continue
        counts["files"] += 1
        counts["rows"] += len(rows or [])
        counts["values"] += sum(map(len, rows or []))
        path = f"{args.path}/{name}"
        try:
            problem = judge_error(gateway, path) if rows is None else judge(gateway, path, rows, random.Random(name))
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        if problem is None:
            os.remove(os.path.join(args.directory, name))
            continue
        counts["different"] += 1
        print(f"DIFFERENT {name}: {problem[:600]}\n    {writer[:1500]}", flush=True)
    print(json.dumps(counts))
    sys.exit(1 if counts["different"] else 0)


main()
