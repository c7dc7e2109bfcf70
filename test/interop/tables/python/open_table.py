"""
The table of a place, as pyiceberg has it: a URI of a REST catalog and the table's name behind `#`, or the directory of a table
without a catalog. There a change is a file of the next version, by a RENAME that never replaces, as Hadoop's catalog makes it.
"""

import os
import re
import time
import uuid

from pyiceberg.catalog import load_catalog
from pyiceberg.catalog.noop import NoopCatalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table import CommitTableResponse, StaticTable, Table
from pyiceberg.table.update import update_table_metadata
from web_hdfs import connect

opener = {"py-io-impl": "web_hdfs.WebHdfsFileIO"}


class DirectoryCatalog(NoopCatalog):
    def __init__(self, directory):
        super().__init__("directory")
        self.directory = directory
        self.hdfs = connect() if directory.startswith("hdfs:") else None

    def names(self):
        metadata = f"{self.directory}/metadata"
        if self.hdfs is None:
            return os.listdir(metadata)
        return [os.path.basename(path) for path in self.hdfs.ls(self.path(metadata), detail=False)]

    def path(self, uri):
        return re.sub(r"^hdfs://[^/]*", "", uri)

    def location(self, version):
        return f"{self.directory}/metadata/v{version}.metadata.json"

    def load_table(self, _=None):
        matches = [re.fullmatch(r"v(\d+)\.metadata\.json", name) for name in self.names()]
        location = self.location(max(int(match[1]) for match in matches if match))
        read = StaticTable.from_metadata(location, opener)
        return Table(("directory", "table"), read.metadata, location, read.io, self)

    def commit_table(self, table, requirements, updates):
        base = self.load_table()
        for requirement in requirements:
            requirement.validate(base.metadata)
        metadata = update_table_metadata(base.metadata, updates, metadata_location=base.metadata_location)
        version = int(re.search(r"/v(\d+)\.metadata\.json$", base.metadata_location)[1])
        temporary = self.path(f"{self.directory}/metadata/{uuid.uuid4()}.tmp")
        self.hdfs.pipe(temporary, metadata.model_dump_json(exclude_none=True).encode())
        target = self.location(version + 1)
        if not self.rename(temporary, self.path(target)):
            self.hdfs.rm(temporary)
            raise CommitFailedException(f"{target} is there")
        return CommitTableResponse(metadata=metadata, metadata_location=target)

    def rename(self, source, target):
        try:
            return self.hdfs._call("RENAME", method="put", path=source, destination=target).json()["boolean"]
        except Exception:
            # It was made where its source is gone: nothing else removes that. `exists` would say so of a server without an answer.
            while True:
                time.sleep(0.2)
                try:
                    self.hdfs.info(source)
                    return False
                except FileNotFoundError:
                    return True
                except Exception:
                    pass


def open_table(place):
    uri, _, name = place.partition("#")
    if name:
        return load_catalog("foreign", type="rest", uri=uri).load_table(name)
    return DirectoryCatalog(place).load_table()
