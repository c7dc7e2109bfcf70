"""The event id of each row that pyiceberg finds in the current snapshot: table_ids.py PLACE."""

import json
import sys

from open_table import open_table

table = open_table(sys.argv[1])
files = sum(1 for _ in table.scan().plan_files())
ids = table.scan(selected_fields=("id",)).to_arrow()["id"].to_pylist()
print(json.dumps({"ids": ids, "files": files, "snapshots": len(table.snapshots())}))
