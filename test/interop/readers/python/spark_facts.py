"""What Spark finds in the files."""

from pyspark.sql import SparkSession
from rows import to_rows


def facts(events):
    spark = SparkSession.getActiveSession()

    def files(name):
        return spark.read.option("mergeSchema", "true").parquet(f"{events}/{name}")

    def rows(name, order):
        return to_rows(row.asDict(recursive=True) for row in files(name).orderBy(order).collect())

    def one(name, *columns, where="true"):
        return [str(value) for value in files(name).where(where).selectExpr(*columns).first()]

    hour = files("Order").where("dt = '2026-11-22' AND hour = 8").select("id")
    return {
        "orders": rows("Order", "id"),
        "everything": rows("Everything", "n"),
        "hits": rows("Hit", "eventDate"),
        "sums": one("Order", "count(*)", "sum(id)", "min(id)", "max(id)", "sum(total)"),
        "counts": one("Order", "count(coupon)", "count(customer.since)", "count_if(paid)", "sum(size(items))"),
        "extremes": one("Everything", "min(big)", "max(big)", "count(big)", "count(*) - count(big)"),
        "largest": one("Everything", "count(*)", where="big = 9223372036854775807"),
        "later": one("Order", "count(*)", where="eventDate >= TIMESTAMP '2026-11-23 08:30:00Z'"),
        "hour": {"rows": hour.count(), "filesRead": files_read(hour), "files": files_read(files("Order"))},
    }


def files_read(frame):
    """By the figures of the scan once it has run."""
    plan = frame._jdf.queryExecution().executedPlan()
    plan.executeCollect()
    scan = plan.collectLeaves().head()
    return scan.metrics().apply("numFiles").value()
