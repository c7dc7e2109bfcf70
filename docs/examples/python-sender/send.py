#!/usr/bin/env python3
"""Sends a file of events, one JSON object a line, to Sluice: each counts once, whatever breaks on the way.

    python3 send.py events.jsonl [--url http://127.0.0.1:8080] [--batch 500]

Only the standard library is needed. Exit code 0: the server has all of them; 1: some were refused (each is told).
"""

import argparse
import http.client
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request
import uuid

FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 30.0
TIMEOUT_S = 60.0


def send(url, body, key, token=None):
    """Sends one batch until there is an answer that settles it, and returns that answer (of a 202)."""
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(f"{url}/rest/1.0/event", data=body, headers=headers)
    attempt = 0
    while True:
        wait_at_least = 0.0
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            # 503: not now, and nothing was kept. 408, 429 and other 5xx may pass as well; the rest never will.
            if error.code not in (408, 429) and error.code < 500:
                raise SystemExit(f"{error.code}: {error.read().decode()}") from error
            reason = f"HTTP {error.code}"
            wait_at_least = to_seconds(error.headers.get("Retry-After"))
        except (OSError, ValueError, http.client.HTTPException) as error:
            # No answer, or half of one. Perhaps the server has the batch: the same key makes it count once.
            reason = str(error) or type(error).__name__
        # Full jitter: senders that failed together do not come back together.
        wait = wait_at_least + random.uniform(0, min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**attempt))
        attempt = min(attempt + 1, 20)
        print(f"waiting {wait:.1f} s: {reason}", file=sys.stderr, flush=True)
        time.sleep(wait)


def to_seconds(retry_after):
    """Sluice says how many; a date, which proxies may send, is left to the back-off."""
    return float(retry_after) if retry_after and retry_after.isdigit() else 0.0


class Progress:
    """What has been sent, and the batch under way with its key: beside the file, so that a restart goes on exactly there."""

    def __init__(self, path):
        self.path = path
        try:
            with open(path) as file:
                self.state = json.load(file)
        except FileNotFoundError:
            self.state = {"sent": 0, "end": 0, "key": None}

    def write(self, **state):
        self.state = state
        with open(f"{self.path}.new", "w") as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{self.path}.new", self.path)


def read_batch(file, count):
    """The next whole lines; what is not ended by a newline is still being written."""
    lines = []
    while len(lines) < count:
        line = file.readline()
        if not line.endswith(b"\n"):
            break
        lines.append(line)
    return b"".join(lines)


def send_file(path, url, batch, token=None):
    progress = Progress(f"{path}.sent")
    refused = total = 0
    with open(path, "rb") as file:
        while True:
            start, end, key = progress.state["sent"], progress.state["end"], progress.state["key"]
            file.seek(start)
            # A batch that was under way is sent as it was: a key belongs to one body.
            body = file.read(end - start) if key else read_batch(file, batch)
            if not body:
                return total, refused
            if not key:
                key, end = str(uuid.uuid4()), start + len(body)
                progress.write(sent=start, end=end, key=key)
            answer = send(url, body, key, token)
            progress.write(sent=end, end=end, key=None)
            total += answer["accepted"]
            refused += answer["rejected"]
            for error in answer["errors"]:
                print(f"refused: {error}", file=sys.stderr)
            print(f"{total} accepted", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="events, one JSON object a line")
    parser.add_argument("--url", default=os.environ.get("SLUICE_SERVER_URL", "http://127.0.0.1:8080"))
    parser.add_argument("--batch", type=int, default=500, help="events in one request (default: 500)")
    arguments = parser.parse_args()
    total, refused = send_file(arguments.file, arguments.url, arguments.batch, os.environ.get("SLUICE_TOKEN"))
    print(f"{total} accepted, {refused} refused")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
