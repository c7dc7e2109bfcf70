"""Sends an event of each name by an SDK, with the settings that it comes with but for the address: send.py SDK URL NAME..."""
import sys


def cloudevents(url, names, mode):
    import requests
    from cloudevents.core.bindings.http import to_binary_event, to_structured_event
    from cloudevents.core.v1.event import CloudEvent

    to_message = to_binary_event if mode == "binary" else to_structured_event
    for name in names:
        message = to_message(CloudEvent(attributes={"source": "/shop", "type": name}, data={"total": 12.5}))
        # The SDK makes messages, and leaves it to its user to look at the status and to try again.
        while not is_taken(requests, f"{url}/rest/1.0/event", message):
            pass


def is_taken(requests, url, message):
    try:
        return requests.post(url, headers=message.headers, data=message.body).ok
    except requests.exceptions.ConnectionError:
        return False


def segment(url, names):
    from segment.analytics.client import Client

    client = Client("key", host=url)
    for name in names:
        client.track("u", name)
        client.flush()
    client.shutdown()


def rudder(url, names):
    from rudderstack.analytics.client import Client

    client = Client("key", host=url)
    for name in names:
        client.track("u", name)
        client.flush()
    client.shutdown()


def snowplow(url, names, method):
    import time
    from snowplow_tracker import EmitterConfiguration, SelfDescribing, SelfDescribingJson, Snowplow

    sent = []
    config = EmitterConfiguration(batch_size=1, on_success=sent.extend)
    tracker = Snowplow.create_tracker(namespace="n", endpoint=url, method=method, emitter_config=config)
    for name in names:
        tracker.track(SelfDescribing(SelfDescribingJson(f"iglu:com.acme/{name}/jsonschema/1-0-0", {})))
    while len(sent) < len(names):
        time.sleep(0.1)


def posthog(url, names):
    from posthog import Posthog

    client = Posthog("key", host=url)
    for name in names:
        client.capture(name, distinct_id="u")
        client.flush()
    client.shutdown()


def otlp(url, names):
    from opentelemetry._logs import LogRecord, SeverityNumber
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor

    provider = LoggerProvider()
    provider.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(endpoint=f"{url}/v1/logs")))
    for name in names:
        provider.get_logger("shop").emit(LogRecord(event_name=name, severity_number=SeverityNumber.INFO, body="x"))
        provider.force_flush()
    provider.shutdown()


sdks = {
    "cloudevents-binary": lambda *args: cloudevents(*args, "binary"),
    "cloudevents-structured": lambda *args: cloudevents(*args, "structured"),
    "segment": segment,
    "rudder": rudder,
    "snowplow-post": lambda *args: snowplow(*args, "post"),
    "snowplow-get": lambda *args: snowplow(*args, "get"),
    "posthog": posthog,
    "otlp": otlp,
}

if __name__ == "__main__":
    sdk, url, *names = sys.argv[1:]
    sdks[sdk](url, names)
