"""Where a client is tried, from the command line: URL DIRECTORY hdfs|embedded [TOKEN]."""

import contextlib
import sys
from urllib.parse import urlsplit

url, directory, kind = sys.argv[1:4]
token = sys.argv[4] if len(sys.argv) > 4 else None
host, port = urlsplit(url).hostname, urlsplit(url).port
on_hdfs = kind == "hdfs"

# Names that a URL or a form takes for something else.
hostile_names = [
    "a b", "ümläut", "100%", "%41", "a%2Fb", "a+b", "a#b", "a;b=c", "a&b", "q?", "it's", '"x"', "😀", "日本", "op=DELETE"
]


def equal(got, want):
    assert got == want, f"got {got!r:.500}, want {want!r:.500}"


@contextlib.contextmanager
def fails(error, words):
    """What stands below it fails with such an error, by its words or the name that Hadoop has for it."""
    try:
        yield
    except error as caught:
        said = f"{getattr(caught, 'exception', None)}: {caught}"
        assert words in said, f"{words!r} is not in {said!r}"
    else:
        raise AssertionError(f"nothing failed with {words!r}")
