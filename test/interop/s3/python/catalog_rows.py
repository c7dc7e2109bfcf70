"""What pyiceberg finds in the table Order of a REST catalog whose files are in a store: catalog_rows.py URI NAMESPACE STORE."""

import json
import sys

from pyiceberg.catalog import load_catalog

uri, namespace, store = sys.argv[1:]
keys = {"s3.access-key-id": "AKIDTEST", "s3.secret-access-key": "hush", "s3.region": "us-east-1"}
catalog = load_catalog("lake", type="rest", uri=uri, **{"s3.endpoint": store, **keys})
ids = catalog.load_table(f"{namespace}.Order").scan().to_arrow()["id"].to_pylist()
print(json.dumps({"rows": len(ids), "ids": len(set(ids)), "sum": str(sum(ids))}))
