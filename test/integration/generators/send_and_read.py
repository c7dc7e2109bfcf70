"""With a generated client: `send` posts an event, `read` prints the rows below a path, a line each."""

import sys

import sluice_client
from sluice_client.models.event import Event
from sluice_client.models.payload import Payload
from sluice_client.models.post_event_request import PostEventRequest

verb, url, target = sys.argv[1:4]
with sluice_client.ApiClient(sluice_client.Configuration(host=url)) as client:
    if verb == "send":
        payload = Payload.from_dict({"from": "python", "n": 7})
        request = PostEventRequest(Event(eventName=target, payload=payload))
        # The usual call expects a body, which a 202 has only when events were refused.
        answer = sluice_client.EventsApi(client).post_event_without_preload_content(request, idempotency_key="python-1")
        if answer.status != 202:
            sys.exit(f"HTTP {answer.status}: {answer.read()}")
    else:
        for entry in sluice_client.FilesApi(client).read_json(target, recursive=True).entries:
            for row in entry.content:
                print(row["from"], row["n"])
