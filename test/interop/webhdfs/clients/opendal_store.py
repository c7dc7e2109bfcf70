"""`opendal`, with its own client of WebHDFS."""

import os

import opendal
from opendal.exceptions import IsADirectory, NotFound
from place import directory, equal, fails, hostile_names, token, url

access = {"delegation": token} if token else {"user_name": os.environ.get("USER_NAME", "root")}


def open_store(**options):
    return opendal.Operator("webhdfs", endpoint=url, root=directory, **access, **options)


store = open_store()
store.check()
big = os.urandom(3 << 20)

store.create_dir("a/b/")
store.write("a/one", b"one")
equal(store.read("a/one"), b"one")
store.write("a/one", b"two")
equal(store.read("a/one"), b"two")
store.write("a/empty", b"")
equal(store.read("a/empty"), b"")
store.write("a/big", big)
equal(store.read("a/big"), big)
with store.open("a/big", "rb") as file:
    file.seek(1_000_000)
    equal(file.read(1000), big[1_000_000:1_001_000])
    file.seek(-10, 2)
    equal(file.read(), big[-10:])
with store.open("a/written", "wb") as file:
    file.write(b"at once")
equal(store.read("a/written"), b"at once")

status = store.stat("a/big")
equal([status.content_length, status.mode.is_file()], [len(big), True])
assert status.last_modified is not None
equal(store.stat("a/").mode.is_dir(), True)
equal(store.exists("a/none"), False)
for call in (store.stat, store.read):
    with fails(NotFound, "NotFound"):
        call("a/none")

# Its lists come in batches, or at once where it is told so.
for i in range(30):
    store.write(f"many/{i:02}", b"")
for one in (store, open_store(disable_list_batch="true")):
    equal(sorted(entry.path for entry in one.list("a/") if entry.path != "a/"), ["a/b/", "a/big", "a/empty", "a/one", "a/written"])
    equal(sorted(entry.path for entry in one.list("many/") if entry.path != "many/"), [f"many/{i:02}" for i in range(30)])
    equal(len([entry for entry in one.scan("/") if entry.path.startswith(("a/", "many/")) and not entry.path.endswith("/")]), 34)
    equal([entry.path for entry in one.list("none/")], [])

# With a directory for what is being written, a file appears whole.
whole = open_store(atomic_write_dir=".parts")
whole.write("a/whole", big)
whole.write("a/whole", big[:100])
equal(store.read("a/whole"), big[:100])
store.write("a/appended", b"one,", append=True)
store.write("a/appended", b"two", append=True)
equal(store.read("a/appended"), b"one,two")

for name in hostile_names:
    store.write(f"names/{name}", name.encode())
    equal(store.read(f"names/{name}"), name.encode())
equal(sorted(entry.path for entry in store.list("names/") if entry.path != "names/"), sorted(f"names/{name}" for name in hostile_names))

store.delete("a/one")
equal(store.exists("a/one"), False)
store.delete("a/none")
store.remove_all("/")
