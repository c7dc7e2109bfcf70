"""Reads a log in the combined format, as a parser of other make understands it, and prints its entries as JSON."""

import json
import sys

from apachelogs import COMBINED, LogParser

entries = []
with open(sys.argv[1], encoding="ascii") as lines:
    for entry in LogParser(COMBINED).parse_lines(lines):
        entries.append(
            {
                "address": entry.remote_host,
                "user": entry.remote_user,
                "request": entry.request_line,
                "status": entry.final_status,
                "bytes": entry.bytes_sent,
                "referer": entry.headers_in["Referer"],
                "agent": entry.headers_in["User-Agent"],
                "at": entry.request_time.isoformat(),
            }
        )
json.dump(entries, sys.stdout)
