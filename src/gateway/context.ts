import type { FileStatus, FileSystem } from '../filesystem/filesystem.ts'
import type { Call } from '../http/call/call.ts'
import type { Logger } from '../log/log.ts'
import type { Mark, Reading, Wanted } from '../rows/reading.ts'
import type { BodyOptions } from './body.ts'
import type { RewriteMemory } from './iceberg/rewrite-memory.ts'
import type { AheadMemory } from './open-ahead.ts'
import type { MarkMemory } from './rows/mark-memory.ts'
import type { TextForm } from './rows/text-form.ts'
import type { FilesAndTables } from './tables/table-directories.ts'

/** Opens a file as rows, with everything but the file already chosen. */
export type OpenRowFile = (status: FileStatus, options: OpenRowFileOptions) => Promise<Reading>

export type OpenRowFileOptions = TextForm & {
  readonly raw: boolean
  /** Whether null is null in events; else it is an empty string, as in the original gateway. */
  readonly nulls: boolean
  readonly signal: AbortSignal
  readonly from?: Mark | undefined
  readonly wanted?: Wanted | undefined
  /** Has the file already, perhaps. @default the one of the gateway */
  readonly fileSystem?: Pick<FileSystem, 'open'>
}

/** Counts and logs how a body ends, and lets `stop` abort what feeds it. */
export type ToBodyOptions = (call: Pick<Call, 'target' | 'signal'>, stop: AbortController) => BodyOptions

/** What the collector knows of a directory, besides its contents. */
export type EventDirectory = {
  /** Name of the event type whose files these are: that of the directory is encoded. */
  readonly name?: string
  /** Whether the directories in it are those of event types, under their encoded names. */
  readonly hasTypes?: boolean
  /** Of the event files of a type. */
  readonly columns?: TypeColumns | undefined
  /** Events that are kept and will be files here or below. */
  readonly waiting?: WaitingEvents | undefined
}

export type WaitingEvents = {
  readonly events: number
  /** When the next flush is, ms since the epoch; undefined while it is held. */
  readonly flushAt?: number | undefined
  readonly isFailing: boolean
  readonly typeCount: number
  /** Perhaps not all; those with the most events first. */
  readonly types: readonly { readonly name: string; readonly path: string; readonly events: number }[]
}

/** The columns of event files. */
export type TypeColumns = {
  /** Perhaps not all. */
  readonly columns: readonly {
    readonly name: string
    readonly type: string
    /** Values that it could not hold, since the start. */
    readonly misfits: number
  }[]
  readonly columnCount: number
}

/** What operations work with that pass bytes on. */
export type GatewayContext = {
  readonly fileSystem: FileSystem
  readonly toBodyOptions: ToBodyOptions
  /** Counts bytes that clients sent. */
  readonly countReceived: (bytes: number) => void
}

/** What operations work with that look into files, or walk. */
export type ReadContext = FilesAndTables & {
  readonly openRowFile: OpenRowFile
  /** Places in files, to read on from. */
  readonly marks: MarkMemory
  /** Shared by all reads of a process. */
  readonly ahead: AheadMemory
  /** Shared by all reads of a process. */
  readonly rewritten: RewriteMemory
  readonly logger: Logger
}
