/** What pages tell people to type that have an HDFS: `namenode` in them is the real one of `suites/hdfs.ts`. */
import { inject } from 'vitest'
import type { HdfsUrls } from '../suites/hdfs.ts'
import { describePages } from './describe-pages.ts'
import { convertedBlocks, needsHdfs } from './pages.ts'
import type { TerminalOptions } from './terminal.ts'

const toOptions = ({ namenodeUrl, webhdfsUrl }: HdfsUrls): TerminalOptions => ({
  replace: { 'hdfs://namenode:8020': namenodeUrl, 'http://namenode:9870': webhdfsUrl },
  env: { SLUICE_NAMENODE_WEBHDFS_URL: webhdfsUrl },
})

const hdfs = inject('hdfs')
await describePages(
  convertedBlocks().filter(needsHdfs),
  'skipped' in hdfs ? {} : toOptions(hdfs),
  'skipped' in hdfs ? [{ part: 'hdfs', missing: `no HDFS, ${hdfs.skipped}` }] : [],
)
