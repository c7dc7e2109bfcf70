"""The event id of each row that Spark finds in the current snapshot: spark_ids.py PLACE."""

import json
import sys

from spark_table import open_spark

session, table = open_spark(sys.argv[1])
ids = [id for (id,) in session.sql(f"SELECT id FROM {table}").collect()]
count = {name: session.sql(f"SELECT count(*) FROM {table}.{name}").collect()[0][0] for name in ("files", "snapshots")}
print(json.dumps({"ids": ids, **count}))
