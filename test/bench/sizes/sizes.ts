import { measureCommandLine } from './command-line.ts'
import { measureHdfsFirstRow, measureLocalFirstRow } from './first-row.ts'
import { measureBuild, measureInstall } from './install.ts'
import { measureProcess } from './process.ts'
import type { SizeGroup } from './size.ts'

/** All sizes, in the order of the page. */
export const sizeGroups: readonly SizeGroup[] = [
  { what: 'start and memory of a process', measure: measureProcess },
  { what: 'the command line', measure: measureCommandLine },
  { what: 'first row, local', measure: measureLocalFirstRow },
  { what: 'first row, HDFS', measure: measureHdfsFirstRow },
  { what: 'size of an install', measure: measureInstall },
  { what: 'size of `dist/`', measure: measureBuild },
]
