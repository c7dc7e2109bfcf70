"""Writes the file that is read: 10 row groups of 10 000 rows; write_file.py PATH."""
import sys

import pyarrow
import pyarrow.parquet

ids = range(100_000)
words = [str(i * 2_654_435_761 % 4_294_967_291) for i in ids]
pyarrow.parquet.write_table(pyarrow.table({"id": ids, "word": words}), sys.argv[1], row_group_size=10_000)
