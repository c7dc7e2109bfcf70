"""Reads a Parquet file by its link, as each program that people have does: read_links.py PROGRAM URL TOKEN."""
import json
import sys
from pathlib import Path

program, url, token = sys.argv[1:]
headers = {"Authorization": f"Bearer {token}"}


def by_duckdb():
    import duckdb

    [extension] = Path(sys.prefix).glob("lib/*/site-packages/duckdb_extension_httpfs/extensions/*/httpfs.duckdb_extension")
    duckdb.sql(f"LOAD '{extension}'")
    duckdb.sql(f"CREATE SECRET (TYPE http, BEARER_TOKEN '{token}')")
    count, total = duckdb.sql(f"SELECT count(*), sum(id)::BIGINT FROM '{url}'").fetchone()
    [(word,)] = duckdb.sql(f"SELECT word FROM '{url}' WHERE id = 77777").fetchall()
    return [count, total, word]


def by_pandas():
    import pandas

    table = pandas.read_parquet(url, storage_options=headers)
    return [len(table), int(table.id.sum()), table.word[table.id == 77777].item()]


def by_pyarrow():
    import fsspec
    import pyarrow.parquet

    with fsspec.filesystem("http", headers=headers).open(url, block_size=1 << 16) as file:
        group = pyarrow.parquet.ParquetFile(file).read_row_group(7, columns=["id", "word"]).to_pylist()
    return [len(group), sum(row["id"] for row in group), next(row["word"] for row in group if row["id"] == 77777)]


print(json.dumps({"DuckDB": by_duckdb, "pandas": by_pandas, "pyarrow": by_pyarrow}[program]()))
