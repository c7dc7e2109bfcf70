"""The number of the event of each row that pyiceberg finds in the current snapshot: event_numbers.py PLACE."""

import json
import re
import sys

from open_table import open_table

rows = open_table(sys.argv[1]).scan().to_arrow().to_pylist()
print(json.dumps([int(re.search(r"E(\d{8,})E", str(row))[1]) for row in rows]))
