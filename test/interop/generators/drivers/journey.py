"""With a generated client: `send URL TYPE` sends events, `use URL TYPE` does everything else."""

import sys

import openapi_client
from openapi_client import ApiException, Event


def event(event_type: str, n: int) -> Event:
    return Event(eventName=event_type, payload={"n": n, "big": 9007199254740993})


def send(events: openapi_client.EventsApi, event_type: str) -> None:
    one = events.post_event([event(event_type, 1)], idempotency_key=f"one-{event_type}")
    print("event", one.accepted, one.rejected)
    batch = events.post_event([event(event_type, 2), event("a/b", 3), event(event_type, 4)])
    print("batch", batch.accepted, batch.rejected, batch.errors[0].index, batch.errors[0].code)


def read(files: openapi_client.FilesApi, path: str) -> None:
    listing = files.read_json(path, content=False)
    for entry in listing.entries:
        print("listing", str(entry.path.startswith(f"{listing.path}/")).lower(), str(entry.is_dir).lower())
    for entry in files.read_json(path, recursive=True).entries:
        for row in entry.content:
            print("row", row["n"], row["big"])


def upload(files: openapi_client.FilesApi, path: str, content: bytes, overwrite: bool) -> None:
    uploaded = files.upload_file(path, content, overwrite=overwrite, permission="640")
    print("uploaded", uploaded.path, uploaded.size, uploaded.permission)


def handle_files(files: openapi_client.FilesApi, directory: str) -> None:
    path = f"{directory}/ü 1.bin"
    upload(files, path, b"\x01", False)
    upload(files, path, b"\x00\xff\r\nA", True)
    try:
        upload(files, path, b"\x02", False)
    except ApiException as error:
        print("refused", error.status)
    print("download", files.read_binary(path).hex())
    print("deleted", str(files.delete_path(path).deleted).lower())
    try:
        files.read_binary(path)
    except ApiException as error:
        print("gone", error.status)


verb, url, name = sys.argv[1:4]
sys.stdout.reconfigure(encoding="utf-8")
with openapi_client.ApiClient(openapi_client.Configuration(host=url)) as client:
    if verb == "send":
        send(openapi_client.EventsApi(client), name)
    else:
        for item in openapi_client.ServerApi(client).get_health().items:
            if item.type == "RealtimeHealthCheck":
                print("health", item.type, item.code)
        read(openapi_client.FilesApi(client), f"/events/{name}")
        handle_files(openapi_client.FilesApi(client), f"/up-{name}")
