"""Reads a table by the catalog: read_table.py PROGRAM SERVER WAREHOUSE TOKEN NAMESPACE. Prints namespaces, tables, and what is in one."""
import json
import sys
from pathlib import Path

program, server, warehouse, token, namespace = sys.argv[1:]


def by_pyiceberg():
    from pyiceberg.catalog import load_catalog
    from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

    from fsspec.implementations.http import HTTPFileSystem
    from pyiceberg.io import fsspec

    # pyiceberg opens no http by itself.
    fsspec.SCHEME_TO_FS["http"] = lambda properties: HTTPFileSystem(headers={"Authorization": f"Bearer {token}"})
    opener = {"py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO"} if warehouse == "gateway" else {}
    catalog = load_catalog(
        "sluice", type="rest", uri=f"{server}/iceberg", warehouse=warehouse, token=token, **opener
    )
    missing = []
    for wanted, find in [
        (NoSuchTableError, lambda: catalog.load_table(f"{namespace}.None")),
        (NoSuchNamespaceError, lambda: catalog.list_tables("none")),
    ]:
        try:
            find()
        except wanted as error:
            missing.append(type(error).__name__)
    try:
        catalog.create_namespace("new")
    except Exception as error:
        # It reads in the configuration what the server has.
        missing.append(type(error).__name__)
    table = catalog.load_table(f"{namespace}.Order")
    facts = {
        "namespaces": [".".join(name) for name in catalog.list_namespaces()],
        "tables": [".".join(name) for name in catalog.list_tables(namespace)],
        "there": [catalog.table_exists(f"{namespace}.Order"), catalog.table_exists(f"{namespace}.None"), catalog.namespace_exists(namespace)],
        "missing": missing,
        "files": len(list(table.scan(row_filter="eventDate >= '2026-05-03T02:00:00+00:00'").plan_files())),
    }
    rows = table.scan().to_arrow()
    return facts | {"rows": len(rows), "sum": str(sum(rows["id"].to_pylist()))}


def by_duckdb():
    import duckdb

    for name in ["httpfs", "avro", "iceberg"]:
        [extension] = Path(sys.prefix).glob(f"lib/*/site-packages/duckdb_extension_{name}/extensions/*/{name}.duckdb_extension")
        duckdb.sql(f"LOAD '{extension}'")
    duckdb.sql(f"CREATE SECRET catalog (TYPE iceberg, TOKEN '{token}')")
    duckdb.sql(f"CREATE SECRET files (TYPE http, BEARER_TOKEN '{token}')")
    duckdb.sql(f"ATTACH '{warehouse}' AS lake (TYPE iceberg, ENDPOINT '{server}/iceberg', SECRET catalog)")
    [(rows, total)] = duckdb.sql(f'SELECT count(*), sum(id)::VARCHAR FROM lake.{namespace}."Order"').fetchall()
    [(late,)] = duckdb.sql(
        f"SELECT count(*) FROM lake.{namespace}.\"Order\" WHERE eventDate >= '2026-05-03 02:00:00+00'::TIMESTAMPTZ"
    ).fetchall()
    tables = duckdb.sql("SELECT schema, name FROM (SHOW ALL TABLES) WHERE database = 'lake' ORDER BY ALL").fetchall()
    return {"tables": [".".join(row) for row in tables], "rows": rows, "sum": total, "late": late}


print(json.dumps({"pyiceberg": by_pyiceberg, "DuckDB": by_duckdb}[program]()))
