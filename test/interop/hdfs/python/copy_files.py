"""Copies all files of a directory by hdfs-native: copy_files.py put|get URL LOCAL REMOTE BLOCK_SIZE REPLICATION."""

import os
import sys

from hdfs_native import Client, WriteOptions

what, url, local, remote, block_size, replication = sys.argv[1:]
client = Client(url)

if what == "put":
    client.mkdirs(remote, 0o755, True)
    options = WriteOptions(block_size=int(block_size), replication=int(replication))
    for name in sorted(os.listdir(local)):
        with open(os.path.join(local, name), "rb") as source, client.create(f"{remote}/{name}", options) as target:
            while piece := source.read(100_003):
                target.write(piece)
else:
    os.makedirs(local)
    for status in client.list_status(remote, False):
        with client.read(status.path) as source, open(os.path.join(local, os.path.basename(status.path)), "wb") as target:
            # A part first, then the rest: both ways of reading.
            target.write(source.read(1_000))
            while piece := source.read(1 << 20):
                target.write(piece)
