import type { Directories, FileSystem } from '../filesystem.ts'
import type { HadoopVerbs } from '../hadoop-verbs.ts'

/** The verbs of a file system out of which publishing is made. */
export type PublishSteps = Pick<FileSystem, 'open' | 'getFileStatus' | 'delete'> &
  Pick<Directories, 'rename'> &
  Pick<HadoopVerbs, 'create'>
