"""`fsspec`, below pandas and pyarrow."""

import os
import tempfile

import fsspec
import numpy
import pandas
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
from place import directory, equal, fails, host, hostile_names, on_hdfs, port, token, url

access = {"token": token} if token else {"user": os.environ.get("USER_NAME", "root")}
fs = fsspec.filesystem("webhdfs", host=host, port=port, **access)
storage = {"host": host, "port": port, **access}
at = directory.rstrip("/")
fs.makedirs(f"{at}/a/b")
with fails(FileExistsError, at):
    fs.makedirs(f"{at}/a/b")
fs.makedirs(f"{at}/a/b", exist_ok=True)

# A file is made empty and then appended to, a buffer at a time. (Its mode "ab" fails before it sends anything.)
big = os.urandom(3 << 20)
with fs.open(f"{at}/a/big", "wb", block_size=1 << 20) as file:
    for start in range(0, len(big), 300_000):
        file.write(big[start : start + 300_000])
equal(fs.cat_file(f"{at}/a/big"), big)
equal(fs.cat_file(f"{at}/a/big", start=1_000_000, end=1_000_100), big[1_000_000:1_000_100])
with fs.open(f"{at}/a/big", "rb", block_size=100_000) as file:
    file.seek(2_500_000)
    equal(file.read(10), big[2_500_000:2_500_010])
    file.seek(0)
    equal(file.read(), big)
equal(fs.tail(f"{at}/a/big", 7), big[-7:])
fs.touch(f"{at}/a/empty")
equal(fs.cat_file(f"{at}/a/empty"), b"")
with fs.open(f"{at}/a/text", "w") as file:
    file.write("one é\ntwo\n")
with fs.open(f"{at}/a/text") as file:
    equal(file.readlines(), ["one é\n".encode(), b"two\n"])

# What it says of them.
info = fs.info(f"{at}/a/big")
equal([info["type"], info["size"]], ["file", len(big)])
equal(fs.ls(f"{at}/a"), [f"{at}/a/{name}" for name in ("b", "big", "empty", "text")])
equal([one["size"] for one in fs.ls(f"{at}/a", detail=True)], [0, len(big), 0, 11])
equal(fs.find(at), [f"{at}/a/{name}" for name in ("big", "empty", "text")])
equal(fs.du(f"{at}/a"), len(big) + 11)
equal(fs.content_summary(f"{at}/a")["fileCount"], 3)
equal(fs.glob(f"{at}/*/*t*"), [f"{at}/a/empty", f"{at}/a/text"])
equal([fs.isdir(f"{at}/a"), fs.isfile(f"{at}/a"), fs.exists(f"{at}/a/big"), fs.exists(f"{at}/none")], [True, False, True, False])
for call in (fs.info, fs.ls, fs.cat_file):
    with fails(FileNotFoundError, f"{at}/none"):
        call(f"{at}/none")
assert fs.home_directory().startswith("/"), fs.home_directory()
if on_hdfs:
    assert fs.ukey(f"{at}/a/big")["algorithm"].endswith("MD5-of-512CRC32C")
    fs.chown(f"{at}/a/text", "bob", "staff")
    equal(fs.info(f"{at}/a/text")["owner"], "bob")
    fs.set_replication(f"{at}/a/text", 2)
else:
    with fails(RuntimeError, "support"):
        fs.ukey(f"{at}/a/big")
    fs.chown(f"{at}/a/text", fs.info(f"{at}/a/text")["owner"])
    with fails(PermissionError, "no user"):
        fs.chown(f"{at}/a/text", "no-such-user", "staff")
    fs.set_replication(f"{at}/a/text", 2)
    equal(fs.info(f"{at}/a/text")["replication"], 1)
fs.chmod(f"{at}/a/text", "640")
equal(fs.info(f"{at}/a/text")["permission"], "640")

# Names, but for those that are cut off as parts of a URL.
fs.makedirs(f"{at}/names")
for name in hostile_names:
    if "#" in name or "?" in name:
        continue
    fs.pipe_file(f"{at}/names/{name}", name.encode())
    equal(fs.cat_file(f"{at}/names/{name}"), name.encode())
    fs.mv(f"{at}/names/{name}", f"{at}/names/{name}.moved")
    assert f"{at}/names/{name}.moved" in fs.ls(f"{at}/names")

# Copies, moves, directories up and down.
fs.cp_file(f"{at}/a/big", f"{at}/a/copy")
equal(fs.cat_file(f"{at}/a/copy"), big)
fs.mv(f"{at}/a/copy", f"{at}/a/b/copy")
with tempfile.TemporaryDirectory() as local:
    fs.get(f"{at}/a", local, recursive=True)
    equal(open(os.path.join(local, "a", "b", "copy"), "rb").read()[-7:], big[-7:])
    fs.put(os.path.join(local, "a"), f"{at}/put", recursive=True)
equal(fs.du(f"{at}/put"), fs.du(f"{at}/a"))

# Tables: a Parquet file is read from its end, and then some of its columns.
rows = 200_000
table = pandas.DataFrame(
    {
        "id": numpy.arange(rows),
        "value": numpy.random.default_rng(1).random(rows),
        "name": [f"name {i % 1000} é" for i in range(rows)],
        "time": pandas.date_range("2026-01-01", periods=rows, freq="s"),
    }
)
there = f"webhdfs://{host}:{port}{at}"
options = {key: value for key, value in storage.items() if key not in ("host", "port")}
table.to_parquet(f"{there}/table.parquet", storage_options=options, row_group_size=20_000)
pandas.testing.assert_frame_equal(pandas.read_parquet(f"{there}/table.parquet", storage_options=options), table)
some = pandas.read_parquet(f"{there}/table.parquet", storage_options=options, columns=["id"])
equal(some["id"].sum(), rows * (rows - 1) // 2)
table.to_csv(f"{there}/table.csv", storage_options=options, index=False)
read = pandas.read_csv(f"{there}/table.csv", storage_options=options, parse_dates=["time"])
pandas.testing.assert_frame_equal(read, table, check_dtype=False)

pyarrow.parquet.write_table(pyarrow.Table.from_pandas(table), f"{at}/arrow.parquet", filesystem=fs)
equal(pyarrow.parquet.read_metadata(f"{at}/arrow.parquet", filesystem=fs).num_rows, rows)
parts = pyarrow.Table.from_pandas(table.assign(part=table["id"] % 4))
pyarrow.dataset.write_dataset(parts, f"{at}/dataset", format="parquet", partitioning=["part"], filesystem=fs)
dataset = pyarrow.dataset.dataset(f"{at}/dataset", format="parquet", partitioning=["part"], filesystem=fs)
equal(dataset.count_rows(), rows)
found = dataset.to_table(columns=["id"], filter=(pyarrow.dataset.field("part") == 2) & (pyarrow.dataset.field("id") < 100))
equal(found["id"].to_pylist(), list(range(2, 100, 4)))

fs.rm(f"{at}/a/text")
with fails(RuntimeError, "is non empty"):
    fs.rm(f"{at}/a")
fs.rm(at, recursive=True)
equal(fs.exists(at), False)
