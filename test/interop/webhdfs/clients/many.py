"""Sixteen clients at a time: each puts, lists, gets, moves and removes files of its own, and all want the same name once."""

import os
import random
from concurrent.futures import ThreadPoolExecutor

from hdfs import InsecureClient, TokenClient
from hdfs.util import HdfsError
from place import directory, equal, token, url

clients, rounds = 16, 6
user = os.environ.get("USER_NAME", "root")


def connect():
    return TokenClient(url, token, root=directory) if token else InsecureClient(url, user=user, root=directory)


def work(number):
    """How many of the contested names it got."""
    client = connect()
    random_bytes = random.Random(number).randbytes
    won = 0
    for i in range(rounds):
        path, moved = f"shared/{number}-{i}", f"moved/{number}-{i}"
        content = random_bytes(100_000 * (i % 3) + 1)
        client.write(path, content)
        assert f"{number}-{i}" in client.list("shared")
        client.rename(path, moved)
        client.write(moved, b"+", append=True)
        with client.read(moved) as reader:
            equal(reader.read(), content + b"+")
        equal(client.status(moved)["length"], len(content) + 1)
        if i % 2:
            equal(client.delete(moved), True)
        try:
            client.write(f"wanted/{i}", str(number).encode())
            won += 1
        except HdfsError as error:
            assert any(words in str(error) for words in ("exists", "lease", "CREATE")), error
    return won


first = connect()
for name in ("shared", "moved", "wanted"):
    first.makedirs(name)
with ThreadPoolExecutor(clients) as pool:
    won = list(pool.map(work, range(clients)))
equal(first.list("shared"), [])
equal(len(first.list("moved")), clients * rounds // 2)
equal(len(first.list("wanted")), rounds)
equal(sum(won), rounds)
for i in range(rounds):
    with first.read(f"wanted/{i}") as reader:
        assert 0 <= int(reader.read()) < clients
first.delete("", recursive=True)
