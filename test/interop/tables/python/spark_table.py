"""
The table of a place, as Spark has it: a URI of a REST catalog and the table's name behind `#`, or the directory of a table without
a catalog. `ICEBERG_JARS` has the directory of Iceberg's jar.
"""

import glob
import os


def open_spark(place):
    """A session, and the name of the table in it."""
    jars = ",".join(glob.glob(f"{os.environ['ICEBERG_JARS']}/*.jar"))
    flags = f"--master local[1] --driver-memory 1g --jars {jars} --conf spark.ui.enabled=false"
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{flags} pyspark-shell"
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    uri, _, name = place.partition("#")
    if name:
        catalog = {"type": "rest", "uri": uri}
    else:
        warehouse, namespace, table = place.rsplit("/", 2)
        name = f"{namespace}.{table}"
        catalog = {"type": "hadoop", "warehouse": f"{warehouse}/"}
    builder = (
        SparkSession.builder.config("spark.sql.extensions", "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.catalog.sluice", "org.apache.iceberg.spark.SparkCatalog")
    )
    # Others change the table meanwhile.
    for key, value in {**catalog, "cache-enabled": "false"}.items():
        builder = builder.config(f"spark.sql.catalog.sluice.{key}", value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session, f"sluice.{name}"
