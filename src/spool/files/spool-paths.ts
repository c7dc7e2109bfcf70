/**
 * The spool's directory:
 *
 *     id                the collector id, 32 hexadecimal digits
 *     format            the version of all this (`format-header.ts`)
 *     destination       where its events go (`destination.ts`)
 *     ledger.next/      keeps 0.1.0 away (`formats.ts`)
 *     lock              held by the process that runs on this spool
 *     ledger            what became of each sealed file (`ledger.ts`)
 *     schemas           columns of event types, for Parquet files (`parquet/schema-file.ts`)
 *     log/NNNNNNNNNN.log    segments (`framing.ts`, `record.ts`)
 *     keys/NNNNNNNNNN.keys  idempotency keys that no segment holds any more (`keys/row-files.ts`)
 *     ids/NNNNNNNNNN.ids    ids of events that no segment holds any more (the same)
 *     sealed/           bucket files that wait for the commit, and committed ones for a while
 *     lists/NNNNNNNNNN.list   what a segment was sealed into (`sealed-list.ts`)
 *     _quarantine/      bucket files that the file system refused, and damaged parts of segments
 *     _taken/           bucket files that the file system may or may not have had (`commit.ts`)
 */
import type { FileRecord } from './bucket-file.ts'

export const directories = ['log', 'sealed', 'lists', '_quarantine', '_taken'] as const

/** The name in quarantine of a segment that could not be sealed. */
export const unsealedName = (segment: number): string => `segment-${segment}.log`

/** The number in such a name; undefined for any other. */
export const parseUnsealedName = (name: string): number | undefined => {
  const [, number] = /^segment-(\d{1,10})\.log$/.exec(name) ?? []
  return number === undefined ? undefined : Number(number)
}

/** The name in quarantine of a segment's bytes from an offset on. */
export const pieceName = (segment: number, start: number): string => `segment-${segment}-${start}.damaged`

/** What such a name says; undefined for any other. */
export const parsePieceName = (name: string): { readonly segment: number; readonly start: number } | undefined => {
  const [, segment, start] = /^segment-(\d{1,10})-(\d+)\.damaged$/.exec(name) ?? []
  return segment === undefined ? undefined : { segment: Number(segment), start: Number(start) }
}

/** The segment that a bucket file was made from, by its name; undefined for a name of another kind. */
export const segmentOfFile = (name: string): number | undefined => {
  const [, number] = /-(\d{1,10})-\d+\.[a-z.0-9]+$/.exec(name) ?? []
  return number === undefined ? undefined : Number(number)
}

/** Where the bytes of a bucket file are. */
export const localPath = (name: string, at: FileRecord['state']['at']): string => `${localDirectory(at)}/${name}`

/** Where the bucket files in a state are. */
export const localDirectory = (at: FileRecord['state']['at']): (typeof directories)[number] => {
  if (at === 'quarantined') return '_quarantine'
  return at === 'taken' ? '_taken' : 'sealed'
}

/** The highest number of a segment that a name in a directory of the spool carries; 0 when it carries none. */
export const segmentInName = (name: string): number => {
  const [, piece] = /^segment-(\d{1,10})[-.]/.exec(name) ?? []
  return piece === undefined ? (segmentOfFile(name.replace(/\.(?:reason|replayed)$/, '')) ?? 0) : Number(piece)
}
