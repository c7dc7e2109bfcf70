import { directoriesOf, hadoopOf } from '../../src/filesystem/facets.ts'
import type { Directories, FileSystem } from '../../src/filesystem/filesystem.ts'
import type { HadoopVerbs } from '../../src/filesystem/hadoop-verbs.ts'
import { createPublisher } from '../../src/filesystem/publish/publisher.ts'

/** The verbs of all facets beside the others, for tests of them. */
export type FlatFileSystem = FileSystem &
  Directories &
  Omit<HadoopVerbs, 'webHdfs'> &
  Partial<Pick<HadoopVerbs, 'webHdfs'>>

/** What a file system is made of. */
export type Verbs = Omit<FileSystem, 'publish' | 'settle' | 'directories' | 'hadoop'> &
  Directories &
  Pick<HadoopVerbs, 'create'> &
  Partial<HadoopVerbs>

/** A file system whose facets, and whose publishing, go by the verbs given: one that is replaced counts in all of them. */
export const fromVerbs = <F extends Verbs>(
  verbs: F,
): F & Required<Pick<FileSystem, 'publish' | 'settle' | 'directories' | 'hadoop'>> => ({
  ...verbs,
  ...createPublisher(verbs),
  directories: {
    mkdirs: (...args) => verbs.mkdirs(...args),
    rename: (...args) => verbs.rename(...args),
  },
  hadoop: pick(verbs),
})

const hadoopVerbs = [
  'create',
  'append',
  'setPermission',
  'setOwner',
  'setReplication',
  'setTimes',
  'getContentSummary',
  'getFileChecksum',
  'getFileBlockLocations',
  'getStatus',
  'getServerDefaults',
  'access',
  'webHdfs',
] as const satisfies readonly (keyof HadoopVerbs)[]

const pick = (verbs: Partial<HadoopVerbs>): Partial<HadoopVerbs> =>
  Object.fromEntries(hadoopVerbs.filter(verb => verbs[verb] !== undefined).map(verb => [verb, verbs[verb]]))

/** The same file system with the verbs of its facets beside the others. */
export const flat = <F extends FileSystem>(fileSystem: F): F & FlatFileSystem & HadoopVerbs => ({
  ...fileSystem,
  ...directoriesOf(fileSystem),
  ...hadoopOf(fileSystem),
})
