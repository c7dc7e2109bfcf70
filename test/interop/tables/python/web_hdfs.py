"""pyiceberg's files in HDFS by WebHDFS: libhdfs, which it would take, needs Hadoop on this machine."""

import os

from fsspec.implementations.webhdfs import WebHDFS
from pyarrow.fs import FSSpecHandler, PyFileSystem
from pyiceberg.io.pyarrow import PyArrowFileIO


def connect():
    host, port = os.environ["WEBHDFS"].split(":")
    return WebHDFS(host, int(port), user=os.environ["HADOOP_USER_NAME"], skip_instance_cache=True)


class WebHdfsFileIO(PyArrowFileIO):
    def _initialize_fs(self, scheme, netloc=None):
        return PyFileSystem(FSSpecHandler(connect())) if scheme == "hdfs" else super()._initialize_fs(scheme, netloc)
