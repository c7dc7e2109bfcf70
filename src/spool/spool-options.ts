import type { Current } from '../current.ts'
import type { Disk } from '../disk/disk.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import type { Logger } from '../log/log.ts'
import type { Replica } from './replica/replica.ts'
import type { Sealing } from './seal/sealing.ts'
import type { SpoolSettings } from './spool-settings.ts'
import type { TableDesk } from './tables/table-desk.ts'

/** The dependencies of a spool; the real ones come from `open-spool.ts`, tests bring their own. */
export type SpoolOptions = {
  readonly disk: Disk
  readonly fileSystem: FileSystem
  /** URL of the file system that has a path, where there are several. @default that of the file system */
  readonly urlOf?: ((path: string) => string) | undefined
  readonly settings: Current<SpoolSettings>
  readonly log: Logger
  /** Turns a segment into bucket files; a thread of its own in the server. */
  readonly sealing: Sealing
  /** What those who seal and those who commit know of tables. @default made of the file system */
  readonly tables?: TableDesk | undefined
  /** Begins each record (`segment-format.ts`). @default random, as it has to be: it must remain secret */
  readonly mark?: Uint8Array
  readonly now?: () => number
  readonly random?: () => number
  /** Hears that the spool has stopped for good: something does not hold that must. @default nothing */
  readonly onBroken?: (() => void) | undefined
  /** Only for a spool that is replicated to HDFS. @default not replicated */
  readonly replica?: Replica | undefined
  /** Where files are until they have their names, in the file system. @default `<event-output-directory>/_tmp/<collector-id>` */
  readonly temporaryDirectory?: string | undefined
  /** Calls `beat` again and again until the returned function is called. @default every 250 ms */
  readonly heartbeat?: (beat: () => Promise<void>) => () => void
}
