"""With a client that openapi-python-client made: `send URL TYPE` sends events."""

import sys

from client import AuthenticatedClient
from client.api.events import post_event
from client.models import Event, Payload


def event(event_type: str, n: int) -> Event:
    payload = Payload()
    payload.additional_properties = {"n": n, "big": 9007199254740993}
    return Event(event_name=event_type, payload=payload)


def send(client: AuthenticatedClient, event_type: str) -> None:
    one = post_event.sync(client=client, body=[event(event_type, 1)], idempotency_key=f"one-{event_type}")
    print("event", one.accepted, one.rejected)
    events = [event(event_type, 2), event("a/b", 3), event(event_type, 4)]
    batch = post_event.sync(client=client, body=events)
    print("batch", batch.accepted, batch.rejected, batch.errors[0].index, batch.errors[0].code)


send(AuthenticatedClient(base_url=sys.argv[2], token="none"), sys.argv[3])
