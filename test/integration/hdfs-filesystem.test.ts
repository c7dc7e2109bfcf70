import { afterAll } from 'vitest'
import { createWebHdfsFileSystem } from '../../src/filesystem/webhdfs.ts'
import { describeFileSystem } from '../suites/filesystem.ts'
import { describeHdfs } from '../suites/hdfs.ts'

describeHdfs('WebHDFS on a real HDFS', ({ webhdfsUrl }) => {
  const base = `/suite-${process.pid}-${Date.now()}`
  const fs = createWebHdfsFileSystem({ urls: [webhdfsUrl] })
  afterAll(() => fs.delete(base, { recursive: true }))

  // HDFS itself refuses a colon; a name node's redirect turns "//" and some escapes into other names.
  describeFileSystem('webhdfs', { fs: () => fs, base, manyFiles: 1_500, impossibleNames: ['a:b'] })
})
