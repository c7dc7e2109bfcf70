import type { CodecName } from '../../codecs/codecs.ts'

/** How a bucket file is written: the predecessor's own formats, Hadoop sequence files, JSON lines, or Parquet. */
export const outputFormats = ['native', 'sequencefile', 'jsonl', 'parquet'] as const
export type OutputFormat = (typeof outputFormats)[number]

/** A bucket file as it was sealed: every commit and retry copies exactly these bytes to exactly this path. */
export type BucketFile = {
  /** `<since>-<collector-id>-<segment>-<part>.<ext>`, `since`: when the first event of the segment was kept; unique, and the key of the file in the ledger. */
  readonly name: string
  /** Absolute directory in the file system. */
  readonly directory: string
  readonly segment: number
  readonly format: OutputFormat
  readonly codec: CodecName
  /** The native format of its first event, as the ledger writes it: `.smile` takes those of JSON too. */
  readonly kind: 'smile' | 'thrift'
  readonly length: number
  readonly crc: number
  readonly events: number
  /** When its oldest event was kept, ms since the epoch. */
  readonly oldest: number
  /** The name of its events, where its lines are payloads without an envelope (`collector.output.envelope` = false). */
  readonly eventName?: string | undefined
  /** Its name in the file system, where another file has `name` there and a person released it under a new one. */
  readonly targetName?: string | undefined
}

/** What may be another one when a file is made again from its segment: another version may encode other bytes. */
export type MadeAnew = Pick<BucketFile, 'length' | 'crc'>

/** A bucket file and where it is on its way. */
export type FileRecord = {
  readonly file: BucketFile
  readonly state:
    | { readonly at: 'sealed' }
    /** `anew`: the file as it was rebuilt since, if it differs from the one that may be in the file system. */
    | { readonly at: 'moving'; readonly temporary: string; readonly anew?: MadeAnew | undefined }
    /** It is at its place in the file system, and not yet known to be part of the table that it was made for. */
    | { readonly at: 'placed' }
    | { readonly at: 'committed'; readonly since: number }
    | ({ readonly at: 'quarantined'; readonly reason: string } & QuarantineMarks)
    | { readonly at: 'taken'; readonly reason: string }
}

/** Why a file in quarantine does not go back into the queue by itself. */
export type QuarantineMarks = {
  /** Another file in the file system was seen to have its name. */
  readonly nameTaken?: true | undefined
  /** The table that it was made for is gone, or is another one: its columns have the ids of that one. */
  readonly tableGone?: true | undefined
}

/**
 * Whether another file has its name in the file system. It may hold the same events, and when a consumer takes it away the
 * name is free: so only a person sends such a file again.
 */
export const isConflict = (state: FileRecord['state']): boolean =>
  state.at === 'quarantined' && state.nameTaken === true

/** Whether a file in quarantine may go another time with no change by a person. */
export const mayGoLater = (state: FileRecord['state']): boolean =>
  state.at === 'quarantined' && !state.nameTaken && !state.tableGone

/** Whether it is in quarantine, and goes no other time by itself. */
export const waitsForPerson = (state: FileRecord['state']): boolean => state.at === 'quarantined' && !mayGoLater(state)
