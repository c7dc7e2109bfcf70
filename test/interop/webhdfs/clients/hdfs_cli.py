"""The package `hdfs` (HdfsCLI)."""

import filecmp
import os
import tempfile
import time

from hdfs import InsecureClient, TokenClient
from hdfs.util import HdfsError
from place import directory, equal, fails, hostile_names, on_hdfs, token, url

user = os.environ.get("USER_NAME", "root")
client = TokenClient(url, token, root=directory) if token else InsecureClient(url, user=user, root=directory)
big = os.urandom(3 << 20)


def read(path, **options):
    with client.read(path, **options) as reader:
        return reader.read()


# Writing: what is new, what is there, from a generator and through `with`, empty, and at the end of a file.
client.makedirs("a/b/c", permission=755)
client.write("a/one", b"one")
with fails(HdfsError, "FileAlreadyExistsException"):
    client.write("a/one", b"two")
client.write("a/one", b"two", overwrite=True, permission=640)
equal(read("a/one"), b"two")
client.write("a/one", b"+three", append=True)
equal(read("a/one"), b"two+three")
client.write("a/big", (big[at : at + 70_000] for at in range(0, len(big), 70_000)), blocksize=1 << 20, replication=1)
with client.write("a/text", encoding="utf-8") as writer:
    for i in range(1000):
        writer.write(f"line {i} é\n")
client.write("a/empty", b"")
with fails(HdfsError, "a/none"):
    client.write("a/none", b"x", append=True)

# Reading: whole, a piece, in chunks, lines.
equal(read("a/big"), big)
equal(read("a/big", offset=1_000_000, length=1_000_000), big[1_000_000:2_000_000])
with fails(HdfsError, "out of the range"):
    read("a/big", offset=len(big) + 1)
equal(read("a/empty"), b"")
with client.read("a/big", chunk_size=100_000) as chunks:
    equal(b"".join(chunks), big)
with client.read("a/text", encoding="utf-8", delimiter="\n") as lines:
    equal([line for line in lines if line], [f"line {i} é" for i in range(1000)])
with fails(HdfsError, "a/none"):
    read("a/none")

# What it says of files and directories.
equal(client.list("a"), ["b", "big", "empty", "one", "text"])
equal(client.list("a/b/c"), [])
status = client.status("a/one")
equal([status[name] for name in ("type", "length", "permission", "pathSuffix")], ["FILE", 9, "640", ""])
assert abs(status["modificationTime"] / 1000 - time.time()) < 3600, status
equal(dict(client.list("a", status=True))["big"]["length"], len(big))
equal(client.status("a/none", strict=False), None)
with fails(HdfsError, "does not exist"):
    client.status("a/none")
with fails(HdfsError, "does not exist"):
    client.list("a/none")
with fails(HdfsError, "is not a directory"):
    client.list("a/one")
content = client.content("a")
equal([content[name] for name in ("directoryCount", "fileCount", "length")], [3, 4, len(big) + 9 + 1000 * 9 + 2890])
walked = [(path[len(directory) :], dirs, files) for path, dirs, files in client.walk("a")]
equal(walked, [("/a", ["b"], ["big", "empty", "one", "text"]), ("/a/b", ["c"], []), ("/a/b/c", [], [])])

# Names.
client.makedirs("names")
for name in hostile_names:
    client.write(f"names/{name}", name.encode())
    equal(read(f"names/{name}"), name.encode())
    client.rename(f"names/{name}", f"names/{name}.moved")
    equal(client.status(f"names/{name}.moved")["length"], len(name.encode()))
equal(sorted(client.list("names")), sorted(f"{name}.moved" for name in hostile_names))

# Changes.
client.set_permission("a/one", "751")
equal(client.status("a/one")["permission"], "751")
client.set_times("a/one", access_time=1_500_000_000_000, modification_time=1_600_000_000_000)
status = client.status("a/one")
equal([status["accessTime"], status["modificationTime"]], [1_500_000_000_000, 1_600_000_000_000])
client.rename("a/one", "a/b")
equal(client.list("a/b"), ["c", "one"])
with fails(HdfsError, "Unable to rename"):
    client.rename("a/none", "a/x")
if on_hdfs:
    client.set_replication("a/big", 2)
    equal(client.status("a/big")["replication"], 2)
    client.set_owner("a/big", "bob", "staff")
    equal([client.status("a/big")[name] for name in ("owner", "group")], ["bob", "staff"])
    equal(client.checksum("a/big")["algorithm"], "MD5-of-2048MD5-of-512CRC32C")
    client.set_acl("a/big", "user:alice:r--", clear=False)
    assert "user:alice:r--" in client.acl_status("a/big")["entries"]
else:
    client.set_replication("a/big", 2)
    equal(client.status("a/big")["replication"], 1)
    client.set_owner("a/big", client.status("a/big")["owner"])
    with fails(HdfsError, "no user"):
        client.set_owner("a/big", "no-such-user", "staff")
    for call in (
        lambda: client.checksum("a/big"),
        lambda: client.acl_status("a/big"),
    ):
        with fails(HdfsError, "support"):
            call()

# Directories, up and down, with threads.
with tempfile.TemporaryDirectory() as local:
    source = os.path.join(local, "source")
    os.makedirs(os.path.join(source, "sub"))
    for i in range(20):
        with open(os.path.join(source, "sub" if i % 2 else "", f"f{i} é"), "wb") as file:
            file.write(big[: i * 10_000])
    client.upload("uploaded", source, n_threads=4)
    with fails(HdfsError, "already exists"):
        client.upload("uploaded", os.path.join(source, "f2 é"))
    client.upload("uploaded", os.path.join(source, "f2 é"), overwrite=True)
    client.download("uploaded", os.path.join(local, "back"), n_threads=4)
    compared = filecmp.dircmp(source, os.path.join(local, "back"))
    for one in (compared, *compared.subdirs.values()):
        equal((one.left_only, one.right_only, one.diff_files, one.funny_files), ([], [], [], []))
    equal(len(os.listdir(os.path.join(local, "back", "sub"))), 10)

# Removing.
equal(client.delete("a/none"), False)
with fails(HdfsError, "is non empty"):
    client.delete("a")
equal(client.delete("a/empty"), True)
equal(client.delete("a", recursive=True), True)
equal(client.status("a", strict=False), None)
